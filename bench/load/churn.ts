/**
 * Keeps a queue at its depth: submits a job for each that completed. Jobs per second then show the cost of a job at this depth.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "undici";
import { z } from "zod";
import { type Request, send } from "./connections.ts";

const HEALTH_EVERY_MS = 20;
const healthShape = z.object({ jobs: z.object({ completed: z.number() }) });

export const churnShape = z.object({
  /** Maximum number of submitted jobs beyond the completed ones. */
  ahead: z.number(),
  /** Time before the measurement, in which the queue reaches its depth and the code gets warm. */
  warmUpMs: z.number(),
  durationMs: z.number(),
});
export type Churn = z.infer<typeof churnShape>;

export const churnResultShape = z.object({
  completedPerSecond: z.number(),
  completed: z.number(),
});
export type ChurnResult = z.infer<typeof churnResultShape>;

/** @param connections the first one watches `/health`, every other one has a submission in flight */
export async function churn(
  connections: readonly Client[],
  submission: Request,
  plan: Churn,
): Promise<ChurnResult> {
  const [watcher, ...submitters] = connections;
  if (watcher === undefined) throw new RangeError("Churn needs connections.");
  const health: Request = {
    method: "GET",
    path: submission.path.replace(/\/run$/, "/health"),
    headers: submission.headers,
  };
  const completed = async (): Promise<number> =>
    healthShape.parse(JSON.parse((await send(watcher, health)).toString())).jobs.completed;
  const pace = new Pace(await completed(), plan.ahead);
  const submitting = submitters.map((client) => submitWhile(client, submission, pace));
  const measuredFrom = performance.now() + plan.warmUpMs;
  const first = await watch(completed, pace, measuredFrom);
  const last = await watch(completed, pace, measuredFrom + plan.durationMs);
  pace.stop();
  await Promise.all(submitting);
  const seconds = (last.at - first.at) / 1000;
  const done = last.completed - first.completed;
  return { completedPerSecond: done / seconds, completed: done };
}

async function watch(
  completed: () => Promise<number>,
  pace: Pace,
  until: number,
): Promise<{ readonly completed: number; readonly at: number }> {
  for (;;) {
    const seen = await completed();
    const at = performance.now();
    pace.completed(seen);
    if (at >= until) return { completed: seen, at };
    await wait(HEALTH_EVERY_MS);
  }
}

async function submitWhile(client: Client, submission: Request, pace: Pace): Promise<void> {
  while (await pace.turn()) await send(client, submission);
}

/** Allows a submission for each completion, and `ahead` more. */
class Pace {
  #allowed: number;
  #stopped = false;
  readonly #from: number;
  readonly #ahead: number;
  readonly #waiting: ((go: boolean) => void)[] = [];
  #given = 0;

  constructor(completed: number, ahead: number) {
    this.#from = completed;
    this.#ahead = ahead;
    this.#allowed = ahead;
  }

  completed(completed: number): void {
    this.#allowed = completed - this.#from + this.#ahead;
    while (this.#given < this.#allowed && this.#waiting.length > 0) {
      this.#given += 1;
      this.#waiting.shift()?.(true);
    }
  }

  /** Resolves when a submission is allowed; with false once the load is over. */
  async turn(): Promise<boolean> {
    if (this.#stopped) return false;
    if (this.#given < this.#allowed) {
      this.#given += 1;
      return true;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#stopped = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
