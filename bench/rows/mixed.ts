/** Row: worst duration of small jobs while large ones pass, beside a bare server with the same load. */
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { startEmulatorFor } from "../emulator-process.ts";
import { startBareServer } from "../floors/http.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { LoadClient, type Subject } from "../load/load-client.ts";
import { bodyOf, LARGE_BYTES, submissionBody } from "../payload.ts";
import type { Row } from "./row.ts";

const LIMIT = 2;
/** Slots and pace of the small jobs: 200 a second together. */
const SMALL = { inFlight: 10, everyMs: 50 };
const LARGE = { inFlight: 1, everyMs: 1000 };
/** Large jobs are in progress when the small ones begin. */
const LEAD_MS = 1000;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const folder = newFolder(bench, "mixed");
  const echo = { handler: "echo", workers: 1 } as const;
  // Each endpoint has its own workers, so only the service is shared.
  await using emulator = await startEmulatorFor(folder, { small: echo, large: echo });
  await using server = await startBareServer();
  await using largeClient = new LoadClient();
  const durationMs = bench.quick ? 2000 : 5000;
  const jobs = {
    small: emulator.submission("small", "runsync", submissionBody),
    large: emulator.submission("large", "runsync", bodyOf(LARGE_BYTES)),
  };
  const p99 = async (to: (job: Subject) => Subject, expected: string): Promise<number> => {
    const large = { ...LARGE, durationMs: LEAD_MS + durationMs };
    const [small] = await Promise.all([
      wait(LEAD_MS).then(() =>
        bench.client.load(to(jobs.small), { ...SMALL, durationMs }, expected),
      ),
      largeClient.load(to(jobs.large), large, expected),
    ]);
    return small.p99Ms;
  };
  const { ours, bare } = await interleave(bench, bench.rounds, {
    ours: () => p99((job) => job, '"COMPLETED"'),
    bare: () => p99((job) => ({ ...job, origin: server.origin }), "input"),
  });
  return [
    lineOf({
      what: "/runsync p99, 200 a second beside 20 MB a second",
      unit: "ms",
      ours,
      beside: "the same requests, bare node:http echo",
      others: bare,
      target: (times) => atMost(LIMIT, times),
    }),
  ];
}

export const mixed: Row = {
  id: "mixed",
  title: "Small jobs while another endpoint gets a job of 20 MB each second",
  measure,
};
