/** Row: jobs per second of a worker with one job at a time while 50 wait, beside BullMQ. */
import type { Bench } from "../bench.ts";
import { contest, ofBullMq, ofEmulator, ofOtherCheckout, ofServedBullMq } from "../contest.ts";
import type { Line } from "../line.ts";
import type { Row } from "./row.ts";

const LEAST = 1;
const WAITING = 50;
const TASK = ["runsync", "one-at-a-time"] as const;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const ours = await ofEmulator(bench, parts, TASK);
  const other = await ofOtherCheckout(bench, parts, TASK);
  const always = await ofBullMq(bench, parts, { appendfsync: "always", concurrency: 1 });
  const served = await ofServedBullMq(bench, parts, { appendfsync: "always", concurrency: 1 });
  const rivals = [
    { name: "BullMQ, AOF always", contestant: always, least: LEAST },
    ...other,
    { name: "BullMQ behind HTTP, AOF always", contestant: served },
  ];
  const what = `/runsync, ${WAITING} queued`;
  return await contest(bench, { what, unit: "jobs/s", inFlight: WAITING + 1, ours, rivals });
}

export const single: Row = {
  id: "single",
  title: "One job at a time while others wait: 200 B, durable, one worker with concurrency 1",
  measure,
};
