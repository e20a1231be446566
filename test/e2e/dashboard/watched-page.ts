/** Measures a page with the list of jobs: its stalls, when jobs appear, and its memory. */
import type { CDPSession, Page } from "playwright-core";
import { z } from "zod";

/** A job counts as seen when a frame with it was drawn; its moment of submission is the event's. */
const WATCH = `(() => {
  const seen = globalThis.seen = [];
  let known = new Set();
  const fresh = () => {
    const lines = [...document.querySelectorAll(".virtual-list .job-line")];
    const idOf = (line) => line.querySelector("a").title;
    const news = lines.filter((line) => !known.has(idOf(line)));
    // Maximum number of kept measurements: the measuring must not grow either.
    known = new Set(lines.map(idOf));
    return news.map((line) => Date.parse(line.querySelector("time").dateTime));
  };
  fresh();
  const drawn = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = then;
    port2.postMessage(null);
  });
  new MutationObserver(() => {
    const submitted = fresh();
    if (submitted.length === 0) return;
    drawn(() => { for (const at of submitted) seen.push(Date.now() - at); });
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["title"] });
})()`;

const timesShape = z.array(z.number());
const traceShape = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      tid: z.number(),
      /** Duration in µs by the clock, and of its thread's CPU time. */
      dur: z.number().optional(),
      tdur: z.number().optional(),
      args: z.object({ name: z.unknown() }).partial(),
    }),
  ),
});
/** The thread that draws a page and runs its scripts. */
const PAGE_THREAD = "CrRendererMain";

/** The longest task that blocked the page. */
export interface LongestTask {
  /** Duration by the clock. */
  readonly ms: number;
  /** CPU time of the page, without other programs of the machine. */
  readonly cpuMs: number;
}

export class WatchedPage {
  readonly #page: Page;
  readonly #devTools: CDPSession;

  private constructor(page: Page, devTools: CDPSession) {
    this.#page = page;
    this.#devTools = devTools;
  }

  static async of(page: Page): Promise<WatchedPage> {
    const devTools = await page.context().newCDPSession(page);
    await page.evaluate(WATCH);
    return new WatchedPage(page, devTools);
  }

  /** Time from submission until the job is seen, ms: of jobs seen since the last call, or since the start. */
  async seen(): Promise<readonly number[]> {
    return timesShape.parse(await this.#page.evaluate("seen.splice(0)"));
  }

  /** Measurements during the action. */
  async longestTaskOf(action: () => Promise<void>): Promise<LongestTask> {
    const browser = this.#page.context().browser();
    await browser?.startTracing(this.#page, { categories: ["toplevel"] });
    let trace: Buffer | undefined;
    try {
      await action();
    } finally {
      trace = await browser?.stopTracing();
    }
    const { traceEvents } = traceShape.parse(JSON.parse(trace?.toString() ?? ""));
    const thread = traceEvents.find(({ args }) => args.name === PAGE_THREAD)?.tid;
    const tasks = traceEvents.filter(({ tid, dur }) => tid === thread && dur !== undefined);
    if (tasks.length === 0) throw new Error("The trace has no task of the page.");
    return {
      ms: mostOf(tasks.map(({ dur = 0 }) => dur)) / 1_000,
      cpuMs: mostOf(tasks.map(({ tdur = 0 }) => tdur)) / 1_000,
    };
  }

  /** Memory of its scripts after a garbage collection, bytes. */
  async heapBytes(): Promise<number> {
    await this.#devTools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#devTools.send("Runtime.getHeapUsage");
    return usedSize;
  }
}

/** There are too many for arguments of `Math.max`. */
function mostOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
