/** What the dashboard weighs, how fast a stored ask is on the screen, and how it bears a thousand. */

import { expect, test, type Page } from "@playwright/test";

import { Hub } from "../e2e/hub.ts";
import { database, features } from "../e2e/questions.ts";

const BUDGET_BYTES = 60_000;
const RUNS = 40;
const MANY = 1_000;

const line = (name: string, value: string) => console.log(`  ${name.padEnd(58)} ${value.padStart(12)}`);
const ms = (value: number) => `${value.toFixed(1)} ms`;

function quantile(values: number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))]!;
}

async function withHub(run: (hub: Hub) => Promise<void>): Promise<void> {
  const hub = await Hub.start();
  try {
    await run(hub);
  } finally {
    await hub.end();
  }
}

test("size", () =>
  withHub(async (hub) => {
    const weigh = async (path: string) => {
      const response = await fetch(hub.url + path, { headers: { "accept-encoding": "gzip" } });
      // The length as it went over the wire; `fetch` itself unpacks.
      const bytes = Number(response.headers.get("content-length"));
      expect(response.headers.get("content-encoding") ?? "none", path).toMatch(/gzip|none/);
      return { bytes, text: await response.text() };
    };
    console.log("\nsize over the wire");
    const index = await weigh("/");
    const parts = [...index.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((found) => found[1]!);
    let total = index.bytes;
    line("/", `${index.bytes} B`);
    for (const part of parts) {
      const { bytes } = await weigh(part);
      total += bytes;
      line(part, `${bytes} B`);
    }
    line(`in all (budget ${BUDGET_BYTES} B)`, `${total} B`);
    expect(total).toBeLessThanOrEqual(BUDGET_BYTES);
  }));

/** Puts the time of the frame in which something first matched onto the page. */
async function watch(page: Page, selector: string): Promise<() => Promise<number>> {
  const painted = page.evaluateHandle(
    (selector) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (!document.querySelector(selector)) return false;
          // After the frame that shows it was handed over to be painted.
          requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
            channel.port2.postMessage(null);
          });
          return true;
        };
        if (look()) return;
        const observer = new MutationObserver(() => look() && observer.disconnect());
        observer.observe(document, { subtree: true, childList: true, attributes: true });
      }),
    selector,
  );
  return async () => (await painted).jsonValue();
}

test("ask stored to card painted", ({ page, browser }) =>
  withHub(async (hub) => {
    await page.goto(await hub.link());
    await page.locator('[data-line="live"]').waitFor();
    // The baseline: a page that does nothing but put the frame's text on the screen.
    const bare = await (await browser.newContext()).newPage();
    await bare.goto(hub.url);
    await bare.evaluate((token) => {
      document.body.replaceChildren();
      const socket = new WebSocket(`${location.origin.replace("http", "ws")}/api/v1/events`);
      socket.onopen = () => socket.send(JSON.stringify({ token }));
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.type === "live") document.body.dataset.live = "yes";
        if (frame.name !== "ask.opened") return;
        const card = document.createElement("pre");
        card.dataset.ask = frame.ask.id;
        card.textContent = JSON.stringify(frame.ask.questions, null, 2);
        document.body.append(card);
      };
    }, hub.token("person"));
    await bare.locator("body[data-live]").waitFor({ state: "attached" });
    const times = { ours: [] as number[], bare: [] as number[] };
    for (let run = 0; run < RUNS; run++) {
      const [name, target] = run % 2 ? (["ours", page] as const) : (["bare", bare] as const);
      await target.bringToFront();
      const count = await target.locator("[data-ask]").count();
      const painted = await watch(target, `:nth-child(${count + 1} of [data-ask]), :nth-child(${count + 1}) > [data-ask]`);
      const begin = performance.timeOrigin + performance.now();
      const ask = await hub.ask({ questions: [database], key: `bench-${run}` });
      times[name].push((await painted()) - begin);
      await hub.answer(ask.id, { answers: [{ selected: ["SQLite"], words: null, notes: null, leftOpen: false }] });
    }
    const [ours, theirs] = [quantile(times.ours, 0.5), quantile(times.bare, 0.5)];
    console.log(`\nask sent to card painted, ${RUNS / 2} runs each in turn (storing it included)`);
    line("the dashboard, median", ms(ours));
    line("the dashboard, p95", ms(quantile(times.ours, 0.95)));
    line("a bare page that prints the frame, median", ms(theirs));
    line("ratio", (ours / theirs).toFixed(2));
  }));

test("a thousand open asks", ({ page, browser }) =>
  withHub(async (hub) => {
    for (let at = 0; at < MANY; at++) {
      const asker = { directory: `/home/ann/project-${at % 40}`, title: `Task ${at}` };
      await hub.ask({ questions: at % 2 ? [database] : [features], asker });
    }
    await page.goto(await hub.link());
    await page.getByText(`${MANY} asks wait`).waitFor();
    const bare = await (await browser.newContext()).newPage();
    await bare.goto(hub.url);
    const times = { ours: [] as number[], bare: [] as number[], filter: [] as number[], bareFilter: [] as number[] };
    for (let run = 0; run < 10; run++) {
      const begin = performance.timeOrigin + performance.now();
      await page.reload({ waitUntil: "commit" });
      times.ours.push((await (await watch(page, `ol.cards > :nth-child(${MANY})`))()) - begin);
      times.filter.push(
        await page.evaluate(
          (wanted) =>
            new Promise<number>((resolve) => {
              const field = document.querySelector<HTMLInputElement>('input[type="search"]')!;
              const begin = performance.now();
              const look = () => {
                if (document.querySelectorAll("[data-ask]").length !== wanted) return;
                observer.disconnect();
                requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
              };
              const observer = new MutationObserver(look);
              observer.observe(document, { subtree: true, childList: true });
              field.value = "project-17";
              field.dispatchEvent(new Event("input", { bubbles: true }));
            }),
          MANY / 40,
        ),
      );
      const [listed, filtered] = await bare.evaluate(async (token) => {
        const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        document.body.replaceChildren();
        const begin = performance.now();
        const list = document.createElement("ol");
        let after = "";
        do {
          const path = `/api/v1/asks?state=open&limit=500${after ? `&after=${after}` : ""}`;
          const page = await (await fetch(path, { headers: { authorization: `Bearer ${token}` } })).json();
          for (const ask of page.asks) {
            const item = document.createElement("li");
            item.textContent = `${ask.asker.directory} ${ask.questions[0].question}`;
            list.append(item);
          }
          after = page.next;
        } while (after);
        document.body.append(list);
        await painted();
        const listed = performance.now() - begin;
        const again = performance.now();
        for (const item of [...list.children]) if (!item.textContent!.includes("project-17")) item.remove();
        await painted();
        return [listed, performance.now() - again] as const;
      }, hub.token("person"));
      times.bare.push(listed);
      times.bareFilter.push(filtered);
    }
    const median = (values: number[]) => quantile(values, 0.5);
    console.log(`\n${MANY} open asks, 10 runs in turn, medians`);
    line("the dashboard: reload to all listed and painted", ms(median(times.ours)));
    line("a bare page: fetch to all listed as lines of text", ms(median(times.bare)));
    line("ratio", (median(times.ours) / median(times.bare)).toFixed(2));
    line("the dashboard: filtered to 25 and painted", ms(median(times.filter)));
    line("a bare page: the same lines taken away", ms(median(times.bareFilter)));
    line("ratio", (median(times.filter) / median(times.bareFilter)).toFixed(2));
  }));
