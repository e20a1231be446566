/** Row: duration of one small job on an idle service, beside the floors of its path. */
import type { Bench } from "../bench.ts";
import type { Line } from "../line.ts";
import { oneJob } from "../one-job.ts";
import { PAYLOAD_BYTES } from "../payload.ts";
import type { Row } from "./row.ts";

const LIMIT = 2.5;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const { quick } = bench;
  return oneJob(bench, {
    what: "/runsync p50, 1 in flight",
    bytes: PAYLOAD_BYTES,
    rounds: quick ? 5 : 9,
    durationMs: quick ? 300 : 1000,
    times: quick ? 200 : 500,
    limit: LIMIT,
  });
}

export const idleLatency: Row = {
  id: "idle",
  title: "One job at a time: 200 B, durable, on an idle service",
  measure,
};
