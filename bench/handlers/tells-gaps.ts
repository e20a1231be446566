/** Tells how long it waited between two jobs: the median since it was asked the last time, ms. */
import { Gaps } from "../gaps.ts";

const gaps = new Gaps();

interface Job {
  readonly input: { readonly asks?: boolean };
}

export default async function tellsGaps({ input }: Job): Promise<{ readonly gapMs?: number }> {
  if (input.asks === true) return { gapMs: gaps.take() };
  gaps.began();
  gaps.ended();
  return {};
}
