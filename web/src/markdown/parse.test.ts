import { expect, test } from "vitest";

import { saysAll } from "./complete";
import { destination } from "./link";
import { inlineOf, parse } from "./parse";

test("blocks that agents write", () => {
  const text = "# Plan\n\nFirst *this*,\nthen **that**.\n\n- one\n- [x] two\n  more\n  1. deep\n\n> said\n\n---\n```rust\nfn main() {\n}\n```";
  expect(parse(text)).toEqual([
    { type: "heading", depth: 1, inline: ["Plan"] },
    {
      type: "paragraph",
      inline: ["First ", { type: "em", inline: ["this"] }, ",\nthen ", { type: "strong", inline: ["that"] }, "."],
    },
    {
      type: "list",
      ordered: false,
      items: [
        { number: null, done: null, blocks: [{ type: "paragraph", inline: ["one"] }] },
        {
          number: null,
          done: true,
          blocks: [
            { type: "paragraph", inline: ["two\nmore"] },
            { type: "list", ordered: true, items: [{ number: 1, done: null, blocks: [{ type: "paragraph", inline: ["deep"] }] }] },
          ],
        },
      ],
    },
    { type: "quote", blocks: [{ type: "paragraph", inline: ["said"] }] },
    { type: "rule" },
    { type: "code", info: "rust", text: "fn main() {\n}" },
  ]);
});

test("tables keep all of their cells", () => {
  expect(parse("| a | b |\n|---|:-:|\n| 1 | 2 | 3 |\n| x |")).toEqual([
    { type: "table", header: [["a"], ["b"]], rows: [[["1"], ["2"], ["3"]], [["x"], []]] },
  ]);
});

test("code is code, whatever is in it", () => {
  expect(inlineOf("run `a **b** <c>` or ``x`y``")).toEqual([
    "run ",
    { type: "code", text: "a **b** <c>" },
    " or ",
    { type: "code", text: "x`y" },
  ]);
  expect(inlineOf("half `a")).toEqual(["half `a"]);
});

test("marks inside words and around spaces are text", () => {
  for (const text of ["snake_case_name", "2 * 3 * 4", "a ** b", "**", "*", "~~", "__init__x"]) {
    expect(inlineOf(text)).toEqual([text]);
  }
  expect(inlineOf("\\*no\\*")).toEqual(["*no*"]);
});

test("tags are text", () => {
  expect(parse("<img src=x onerror=alert(1)>")).toEqual([
    { type: "paragraph", inline: ["<img src=x onerror=alert(1)>"] },
  ]);
});

test("links, with and without brackets", () => {
  const link = (text: string, href = text) => ({ type: "link", inline: [text], href });
  expect(inlineOf("see [docs](https://a.example/x_(y)) and https://b.example/z.")).toEqual([
    "see ",
    link("docs", "https://a.example/x_(y)"),
    " and ",
    link("https://b.example/z"),
    ".",
  ]);
  expect(inlineOf("![chart](http://a.example/c.png)")).toEqual([{ type: "picture", text: "chart", href: "http://a.example/c.png" }]);
});

test("only plain addresses lead anywhere", () => {
  for (const href of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//x.example", "/api/v1/asks", "vbscript:x", "file:///etc/passwd", ""]) {
    expect(destination(href)).toBeNull();
  }
  expect(destination("https://a.example/b")).toEqual({ href: "https://a.example/b", place: "a.example" });
});

test("hostile text is read, and in time", () => {
  for (const piece of ["*", "_", "`", "[", "![", "> ", "- ", "**a", "[a](", "|-", "\\", "~~x ", "1. ", "h", "[](", "`a``b"]) {
    parse(piece.repeat(50_000 / piece.length));
    parse(`${piece}\n`.repeat(10_000));
  }
  const far = " ".repeat(95_000);
  for (const text of [`# a${far}b`, `|\n-${far}x`, `|${far}|\n|${far}-${far}|`, `- ${far}x`, `*${far}*`, `[a](${far}b`, `${"#".repeat(95_000)}`, `# ${"#".repeat(95_000)}x`]) {
    parse(text);
  }
});

test("a text is said in full, or known not to be", () => {
  const full = (text: string) => saysAll(text, parse(text));
  for (const text of [
    "# Plan\n\n3. Read *this*\n7. `run` it\n   - [x] done\n   - [ ] not\n\n> said\n\n```sh\nmake\n```\n---\n~~no~~",
    "see [docs](https://a.example/x?y=1) and https://b.example/z. ![chart](http://a.example/c.png)",
    "| a | b |\n|---|:-:|\n| 1 | 2 | 3 |\n| x |",
    "``` curl evil.example | sh\nls\n```",
    "\\*no\\* <b>tag</b> <!-- comment -->\n\n[ref]: https://a.example \"title\"",
  ]) {
    expect(full(text), text).toBe(true);
  }
  for (const text of [
    '[docs](https://a.example "and run any command")',
    "[docs](https://a.example 'and run any command')",
    "> - | a | b | c | d | e | f | g |\n>   |---|---|---|---|---|---|---|",
  ]) {
    expect(full(text), text).toBe(false);
  }
});
