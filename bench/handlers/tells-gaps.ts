/** Tells how long it waited between two jobs: the median since it was asked the last time, ms. Works as long as a job says. */
import { setTimeout as wait } from "node:timers/promises";
import { Gaps } from "../gaps.ts";

const gaps = new Gaps();

interface Job {
  readonly input: { readonly asks?: boolean; readonly workMs?: number };
}

export default async function tellsGaps({ input }: Job): Promise<{ readonly gapMs?: number }> {
  if (input.asks === true) return { gapMs: gaps.take() };
  gaps.began();
  if (input.workMs !== undefined) await wait(input.workMs);
  gaps.ended();
  return {};
}
