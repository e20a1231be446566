/** Row: jobs per second at 50 and 500 in flight, beside BullMQ and a bare HTTP server. */
import type { Bench } from "../bench.ts";
import {
  contest,
  ofBareServer,
  ofBullMq,
  ofEmulator,
  ofOtherCheckout,
  ofServedBullMq,
} from "../contest.ts";
import type { Line } from "../line.ts";
import type { Row } from "./row.ts";

/** Wanted ratio to BullMQ's jobs per second, by the number in flight. */
const LEAST = { always: { 50: 3, 500: 1.25 }, everysec: { 50: 1.4, 500: 1 } } as const;
/** The peer with HTTP and the same client. */
const SERVED_LEAST = 1.3;
const TASK = ["runsync", "echo"] as const;
const CONCURRENCY = 50;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const ours = await ofEmulator(bench, parts, TASK);
  const other = await ofOtherCheckout(bench, parts, TASK);
  const bare = await ofBareServer(bench, parts, "runsync");
  const bullMq = { concurrency: CONCURRENCY };
  const always = await ofBullMq(bench, parts, { ...bullMq, appendfsync: "always" });
  const everysec = await ofBullMq(bench, parts, { ...bullMq, appendfsync: "everysec" });
  const served = await ofServedBullMq(bench, parts, { ...bullMq, appendfsync: "everysec" });
  const linesAt = async (inFlight: 50 | 500): Promise<readonly Line[]> => {
    const what = `/runsync, ${inFlight} in flight`;
    const rivals = [
      { name: "BullMQ, AOF always", contestant: always, least: LEAST.always[inFlight] },
      { name: "BullMQ, AOF everysec", contestant: everysec, least: LEAST.everysec[inFlight] },
      { name: "bare node:http echo", contestant: bare },
      ...other,
      { name: "BullMQ behind HTTP, everysec", contestant: served, least: SERVED_LEAST },
    ];
    return contest(bench, { what, unit: "jobs/s", inFlight, ours, rivals });
  };
  return [...(await linesAt(50)), ...(await linesAt(500))];
}

export const throughput: Row = {
  id: "throughput",
  title: "Jobs per second: 200 B, durable, one worker with concurrency 50",
  measure,
};
