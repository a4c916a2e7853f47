import { expect, test } from "vitest";

import { kindOf } from "./previewing";

test("hostile previews are looked at, and in time", () => {
  for (const piece of ["[", "\n", "#", "`", "<", "+", "[a](", "~~~\n```\n"]) kindOf(piece.repeat(100_000 / piece.length));
});

test("a preview is what it looks like", () => {
  for (const text of ["<!DOCTYPE html><p>x", " <div class=x>y</div>", "<style>p{}</style><p>x</p>", "<svg viewBox='0 0 1 1'/>"]) {
    expect(kindOf(text), text).toBe("html");
  }
  for (const text of ["# Title\ntext", "some **bold** text", "```rust\nfn main() {}\n```", "see [docs](https://a.example)"]) {
    expect(kindOf(text), text).toBe("markdown");
  }
  for (const text of ["┌──┐\n│ **x** │\n└──┘", "+----+\n| # a |\n+----+", "plain words", "let x = 1;\nx * y * z", "<T> is a type", "a < b"]) {
    expect(kindOf(text), text).toBe("text");
  }
});
