/** Draws every page and state; where to is in HANDRAISE_PICTURES. */

import { join } from "node:path";

import { test, type Page } from "@playwright/test";

import type { AskResponse, TimesJson, TimesResponse } from "../src/generated/v1.ts";
import { Hub } from "../e2e/hub.ts";
import { Runner } from "../e2e/runner.ts";
import { auth, database, features, layout } from "../e2e/questions.ts";

const PLACE = process.env.HANDRAISE_PICTURES ?? "test-results/pictures";

const preamble =
  "I have read the schema in `db/` and what the **orders** page needs:\n\n- 12 tables, 3 of them large\n- full-text search on products\n\nOne thing before I go on.";
const shop = { directory: "/home/ann/shop", host: "laptop", branch: "main", title: "Checkout redesign" };
const site = { directory: "/home/ann/website", host: "laptop", branch: "dark-mode", title: "Dark mode" };
const bash = {
  tool: "Bash",
  description: "Reinstall the dependencies",
  input: { command: "rm -rf node_modules && npm ci\nnpm test -- --run", timeout: 120_000 },
  suggestions: [{ type: "addRules", behavior: "allow", rules: [{ toolName: "Bash", ruleContent: "npm ci" }] }],
};
const plan = {
  tool: "ExitPlanMode",
  input: {},
  plan: "# Move sessions to Redis\n\n1. Add a `SessionStore` trait\n2. Keep the cookie format, so that **nobody is logged out**\n3. Migrate in two steps\n\n| step | risk |\n|---|---|\n| dual write | low |\n| cut over | medium |\n\n```rust\nimpl SessionStore for RedisStore {\n    async fn load(&self, id: SessionId) -> Result<Option<Session>>;\n}\n```",
};
const took = (label: string) => ({
  level: "seen",
  text: `User has answered your questions: "${database.question}"="${label}".`,
  took: { kind: "answered", answers: [{ selected: [label], words: null, notes: null, leftOpen: false }] },
});

/** `shot` begins at the top of the page; `look` is what is in the window, wherever that is. */
type Scene = { hub: Hub; page: Page; shot: (name: string, whole?: boolean) => Promise<void>; look: (name: string) => Promise<void> };

function picture(name: string, scene: (scene: Scene) => Promise<void>): void {
  test(name, async ({ page }, { project }) => {
    const hub = await Hub.start();
    const shot = async (part: string, whole = true) => {
      await page.evaluate(() => document.activeElement?.closest("[data-ask]") ?? scrollTo(0, 0));
      const path = join(PLACE, `${part}.${project.name}.png`);
      await page.screenshot({ path, fullPage: whole && project.name !== "wall-light", animations: "disabled", caret: "hide" });
    };
    const look = async (part: string) => void (await page.screenshot({ path: join(PLACE, `${part}.${project.name}.png`), animations: "disabled", caret: "hide" }));
    try {
      await scene({ hub, page, shot, look });
    } finally {
      await hub.end();
    }
  });
}

async function enter(page: Page, hub: Hub): Promise<void> {
  await page.goto(await hub.link());
  await page.locator('[data-line="live"]').waitFor();
}

const submit = (page: Page) => page.getByRole("button", { name: "Submit" });

picture("login", async ({ hub, page, shot }) => {
  await page.goto(hub.url);
  await page.getByText("handraise link", { exact: true }).waitFor();
  await shot("login");
  await enter(page, hub);
  await shot("waiting-empty");
  const devices = await hub.devices();
  const mine = devices.find((device) => device.name.startsWith("Chrome"));
  await hub.call("person", "DELETE", `devices/${mine?.id}`);
  await page.getByText("not logged in any more").waitFor();
  await shot("login-expired");
});

picture("waiting", async ({ hub, page, shot }) => {
  await hub.ask({ questions: [database], asker: { ...shop, preamble } });
  await hub.ask({ approval: bash, asker: site });
  await hub.ask({ questions: [features], asker: { ...site, agent: "codex" } });
  await enter(page, hub);
  await page.getByLabel("PostgreSQL").check();
  await page.getByText("Draft kept.").waitFor();
  await shot("waiting", false);
  await shot("waiting-whole");
  await page.getByRole("button", { name: "Decline…" }).first().click();
  await page.getByLabel("Why not?").fill("We decided this last week: see docs/adr/0007.md");
  await shot("declining", false);
});

picture("four questions", async ({ hub, page, shot }) => {
  await hub.ask({ questions: [database, features, auth, { ...database, header: "Cache", question: "And for the cache?" }], asker: shop });
  await enter(page, hub);
  await page.getByLabel("SQLite").first().check();
  await page.getByLabel("TypeScript").check();
  await page.getByLabel("Features: your own words").fill("and a CHANGELOG, kept by hand");
  await page.getByRole("button", { name: "Add a note" }).nth(1).click();
  await page.getByLabel("Note beside the answer").fill("Vitest can wait until the first release.");
  await page.getByRole("button", { name: "Leave open" }).nth(2).click();
  await page.getByText("Draft kept.").waitFor();
  await shot("four-questions");
});

picture("previews", async ({ hub, page, shot }) => {
  await hub.ask({ questions: [layout], asker: shop, policy: { deadlineSeconds: 900 } });
  await enter(page, hub);
  await page.getByLabel("Top bar", { exact: false }).first().check();
  await page.frameLocator("iframe").getByText("One").waitFor();
  await page.getByText("Draft kept.").waitFor();
  await shot("previews");
});

picture("approvals", async ({ hub, page, shot }) => {
  await hub.ask({ approval: bash, asker: shop });
  await hub.ask({ approval: plan, asker: { ...site, preamble: "The plan is ready." } });
  await enter(page, hub);
  await shot("approvals");
  await page.getByRole("button", { name: "Edit before allowing" }).click();
  await page.getByLabel("A word to Claude").first().fill("Without the tests this time.");
  await shot("approval-edited", false);
});

picture("endings", async ({ hub, page, shot }) => {
  const asks: AskResponse[] = [];
  for (const header of ["Seen", "Overruled", "Elsewhere", "Silence", "Undelivered"]) {
    asks.push(await hub.ask({ questions: [{ ...database, header }], asker: { ...shop, title: header } }));
  }
  await enter(page, hub);
  const card = (at: number) => page.locator(`[data-ask="${asks[at]!.id}"]`);
  for (const at of [0, 1]) {
    await card(at).getByLabel("PostgreSQL").check();
    await submit(page).first().click();
    await card(at).locator('[data-delivery="resolved"]').waitFor();
  }
  await hub.receipt(asks[0]!.id, took("PostgreSQL (Recommended)"));
  await hub.receipt(asks[1]!.id, took("MongoDB"));
  await card(2).getByLabel("Database: your own words").or(card(2).getByLabel("Elsewhere: your own words")).fill("A graph database, because of the recommendations");
  await card(2).getByText("Draft kept.").waitFor();
  await hub.answer(asks[2]!.id, { answers: [{ selected: ["SQLite"], words: null, notes: "It is one file.", leftOpen: false }] });
  await hub.withdraw(asks[3]!.id);
  for (const [at, state] of ["delivered", "overruled", "resolved", "resolved"].entries()) {
    await page.locator(`[data-ask="${asks[at]!.id}"][data-state="${state}"]`).waitFor();
  }
  const folded = page.getByRole("button", { name: "Unfold" });
  while (await folded.count()) await folded.first().click();
  await card(0).locator('[data-delivery="delivered"]').waitFor();
  await shot("endings");
});

picture("connection", async ({ hub, page, shot }) => {
  await hub.ask({ questions: [database], asker: { ...shop, preamble } });
  await enter(page, hub);
  await page.getByLabel("Database: your own words").fill("Whatever runs on the plane");
  await hub.kill();
  await page.locator('[data-line="offline"]').waitFor();
  await shot("offline", false);
  await hub.launch();
  await page.locator('[data-line="live"]').waitFor();
  await page.getByText("The hub was restarted").waitFor();
  await shot("restarted", false);
});

picture("outdated", async ({ hub, page, shot }) => {
  await hub.pretendsToBe("9.9.9", page);
  await enter(page, hub);
  await page.getByText("9.9.9").waitFor();
  await shot("outdated", false);
});

picture("fifty", async ({ hub, page, shot }) => {
  const matters = [[database], [features], [auth, features], [layout]];
  const places = [shop, site, { ...shop, directory: "/srv/build/compiler", host: "ci-7", title: "Nightly" }];
  for (let i = 0; i < 50; i++) {
    if (i % 7 === 3) await hub.ask({ approval: bash, asker: places[i % 3]! });
    else await hub.ask({ questions: matters[i % 4]!, asker: places[i % 3]! });
  }
  await enter(page, hub);
  await page.getByText("50 asks wait").waitFor();
  await page.locator("[data-ask]").nth(4).scrollIntoViewIfNeeded();
  await page.getByRole("heading", { name: "50 asks wait" }).scrollIntoViewIfNeeded();
  await shot("fifty", false);
  await page.getByPlaceholder("Filter").fill("compiler");
  await page.evaluate(() => scrollTo(0, 1500));
  await shot("fifty-filtered", false);
});

picture("long", async ({ hub, page, shot }) => {
  const long = "Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(6);
  await hub.ask({
    questions: [
      {
        question: `${long}? Or, put differently, should the thing that we talked about yesterday be done before or after the other thing, and who is going to tell the people it concerns?`,
        header: "A header far too long for a chip",
        multiSelect: false,
        options: [
          { label: long, description: "One word." },
          { label: "<img src=x onerror=alert(1)> <b>bold</b>", description: "Tags are text. \u202Eand this is not reversed\u001b[31m" },
          { label: "שלום עולם", description: "نص من اليمين إلى اليسار، مع English في الوسط" },
          { label: "日本語のラベル 🎉👩‍👩‍👧", description: "説明文はここにあります。とても長い説明文でも折り返されます。".repeat(4) },
        ],
      },
    ],
    asker: { ...shop, title: `A very long title ${long}`, directory: `/home/ann/${"deeply/nested/".repeat(12)}project`, branch: "feature/with-a-name-that-never-ends-because-nobody-stopped", preamble: `${"A long story. ".repeat(80)}\n\n[a link](javascript:alert(1)) and <script>alert(1)</script>` },
  });
  await enter(page, hub);
  await shot("long");
});

/** Two weeks that nobody has to wait for. */
function fortnight(): TimesResponse {
  const times = (minutes: number[]): TimesJson => {
    const of = (waited: number, asks: number) => ({ asks, answered: asks, waitedSeconds: waited * 60, medianSeconds: 140, longestSeconds: 5_400 });
    return { days: minutes.map((waited) => of(waited, 3)), total: of(minutes.reduce((sum, one) => sum + one, 0), 61) };
  };
  const all = {
    shop: [12, 31, 8, 0, 0, 44, 25, 18, 9, 3, 0, 22, 36, 14],
    website: [5, 0, 14, 0, 2, 9, 16, 0, 0, 12, 0, 7, 3, 20],
    api: [0, 6, 3, 0, 0, 0, 8, 4, 0, 0, 0, 11, 2, 5],
    docs: [0, 0, 2, 0, 0, 3, 0, 1, 0, 0, 0, 2, 0, 1],
    infra: [2, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 3, 0],
  };
  const sum = all.shop.map((_, day) => Object.values(all).reduce((sum, minutes) => sum + minutes[day]!, 0));
  const dates = sum.map((_, day) => new Date(Date.now() - (13 - day) * 86_400_000).toISOString().slice(0, 10));
  const projects = Object.entries(all).map(([name, minutes]) => ({ name, times: times(minutes) }));
  return { dates, projects, others: null, all: times(sum) };
}

picture("history", async ({ hub, page, shot }) => {
  await page.route(/\/api\/v1\/times/, (route) => route.fulfill({ json: fortnight() }));
  const texts = ["A first one", "Which database should we use for this project?", "Which colour?"];
  for (let i = 0; i < 14; i++) {
    const ask = await hub.ask({ questions: [{ ...database, question: i % 3 === 1 ? database.question : `${texts[i % 3]} (${i})` }], asker: i % 2 ? shop : site });
    if (i % 4 === 3) await hub.call("person", "POST", `asks/${ask.id}/decline`, { reason: "Not now." });
    else await hub.answer(ask.id, { answers: [{ selected: i % 2 ? ["SQLite"] : [], words: i % 2 ? null : "Something small", notes: null, leftOpen: false }] }, );
    if (i % 4 === 1) await hub.receipt(ask.id, took("SQLite"));
    if (i === 12) await hub.receipt(ask.id, took("MongoDB"));
  }
  await enter(page, hub);
  await page.getByRole("link", { name: "History" }).click();
  await page.locator("[data-past]").nth(5).waitFor();
  await page.locator("[data-past] summary").nth(1).click();
  await shot("history", false);
  await shot("history-whole");
  await page.getByLabel("Text").fill("nothing like this was ever asked");
  await page.getByText("Nothing like that was asked.").waitFor();
  await shot("history-nothing", false);
});

picture("devices", async ({ hub, page, shot }) => {
  await enter(page, hub);
  await page.getByRole("link", { name: "Devices" }).click();
  await page.getByText("this device").waitFor();
  await page.getByRole("button", { name: "New link" }).click();
  await page.getByRole("img", { name: "QR code" }).waitFor();
  await shot("devices");
});

picture("keys", async ({ hub, page, shot }) => {
  await hub.ask({ questions: [database], asker: shop });
  await enter(page, hub);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await shot("keys", false);
});

/** A session in the middle of its work, with everything that can be said in one. */
async function story(hub: Hub): Promise<Runner> {
  const runner = await Runner.begin(hub);
  const { message } = await runner.hear("The checkout is slow on phones. Please find out why, and make it fast.\nNo new dependencies.");
  await runner.deliver(message);
  await runner.say("a1", "I will look at how the page loads first.");
  await runner.tool("t1", "done", "Read", "src/checkout/Cart.svelte", "<script lang=\"ts\">\n  import { cart } from \"./cart\";\n</script>");
  await runner.tool("t2", "failed", "Bash", "npm run bench -- --device phone", "Error: no such device: phone");
  await runner.tool("t3", "done", "Bash", "npm run bench -- --device pixel-7 --runs 20 --reporter json > bench.json", "20 runs, median 3.4 s");
  await runner.say("a2", "The cart is rendered **twice**: once by `Cart.svelte` and once by its summary.\n\n| step | before | after |\n|---|---|---|\n| first paint | 1.9 s | 0.7 s |\n| ready | 3.4 s | 1.2 s |\n\n1. Share one store\n2. Load the summary when it comes into view\n\n```ts\nexport const cart = $state.raw<Line[]>([]);\n```");
  return runner;
}

picture("sessions", async ({ hub, page, shot }) => {
  await enter(page, hub);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByText("No session goes on.").waitFor();
  await shot("sessions-empty", false);
  await page.getByRole("button", { name: "Start a session…" }).click();
  await shot("sessions-start-none", false);
  for (const [title, told] of Object.entries({ "Update the dependencies": {}, "A spike with WebGPU": { trouble: "the agent ended with exit code 1: out of memory" } })) {
    const over = await Runner.begin(hub, { title });
    await over.tell({ state: "ended", ...told });
  }
  await Runner.begin(hub, { title: "Dark mode", directory: "/home/ann/website", state: "idle" });
  const stopped = await Runner.begin(hub, { title: "Nightly build", directory: "/srv/build/compiler", host: "ci-7" });
  await stopped.tell({ state: "stopped", trouble: "the machine was restarted" });
  await Runner.begin(hub, { title: "Search", directory: "/home/ann/search", state: "starting" });
  const deferred = await Runner.begin(hub, { title: "Move sessions to Redis", directory: "/home/ann/api" });
  await deferred.ask({ questions: [database] });
  await deferred.tell({ state: "deferred" });
  const runner = await story(hub);
  await runner.ask({ questions: [database] });
  await Runner.begin(hub, { title: "", directory: "/home/ann/handbook" });
  await page.getByText("handbook", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Start a session…" }).click();
  await page.getByText("A spike with WebGPU").waitFor();
  await shot("sessions");
});

picture("conversation", async ({ hub, page, look }) => {
  const runner = await story(hub);
  await enter(page, hub);
  await page.goto(`${hub.url}/#/sessions/${runner.id}`);
  await page.getByText("rendered twice").waitFor();
  await look("conversation");
  await page.getByText("npm run bench").first().click();
  await page.getByText("Error: no such device").waitFor();
  await look("conversation-tool");
  await runner.tool("t4", "running", "Edit", "src/checkout/Cart.svelte");
  await runner.stream("a3", "", "Now the summary waits until somebody can see it, and the");
  await page.getByText("Now the summary waits").waitFor();
  await look("conversation-streaming");
  await runner.tool("t4", "done", "Edit", "src/checkout/Cart.svelte", "ok");
  await runner.say("a3", "Now the summary waits until somebody can see it. One thing before I go on.");
  const ask = await runner.ask({ questions: [database] });
  const field = page.getByLabel("Your words to Claude");
  await field.fill("And mind the tests, please.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("[data-said=queued]").waitFor();
  await field.fill("One more thing");
  await look("conversation-question");
  await page.getByRole("button", { name: "End…" }).click();
  await look("conversation-ending");
  await page.getByLabel("SQLite").check();
  await submit(page).click();
  await page.locator('[data-delivery="resolved"]').waitFor();
  await runner.tell({}, { key: "x1", kind: "answer", text: "Database: SQLite", ask: ask.id });
  await runner.note("n1", "The agent was interrupted.");
  await runner.note("n2", "The agent’s process ended with exit code 137.", "failed");
  await runner.tell({ state: "ended", trouble: "the agent ended with exit code 137" });
  await page.getByText("This session is over.").waitFor();
  await look("conversation-ended");
});
