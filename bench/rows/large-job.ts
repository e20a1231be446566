/** Row: duration of one job of 20 MB on an idle service, compared with the floors of its path. */
import type { Bench } from "../bench.ts";
import type { Line } from "../line.ts";
import { oneJob } from "../one-job.ts";
import { LARGE_BYTES } from "../payload.ts";
import type { Row } from "./row.ts";

async function measure(bench: Bench): Promise<readonly Line[]> {
  return oneJob(bench, {
    what: "/runsync of 20 MB in and out, p50, 1 in flight",
    bytes: LARGE_BYTES,
    rounds: bench.rounds,
    durationMs: 500,
    times: 3,
  });
}

export const largeJob: Row = {
  id: "large",
  title: "One large job at a time: 20 MB, durable, on an idle service",
  measure,
};
