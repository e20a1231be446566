/** Row: cost of a submission on a service with one endpoint, and on one with ten thousand endpoints with full queues. */
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave } from "../bench.ts";
import { type EmulatorProcess, jobDone } from "../emulator-process.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { startPostgresServer } from "../peers/postgres-server.ts";
import { submissionBody } from "../payload.ts";
import { databasesOn, newDirectory, type NewPlace, type Place } from "../place.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

const LIMIT = 1.5;
const ENDPOINTS = 10_000;
const QUICK_ENDPOINTS = 1_000;
const JOBS_EACH = 10;
const SETTLE_MS = 1500;
/** The worker keeps up with this number, so the queue of the measured endpoint stays short. */
const IN_FLIGHT = 8;

async function measure(bench: Bench, newPlace: NewPlace): Promise<readonly Line[]> {
  const endpoints = bench.quick ? QUICK_ENDPOINTS : ENDPOINTS;
  const crowded = await newPlace(bench, "crowded");
  bench.progress.say(`making ${number(endpoints)} endpoints`);
  await fill(crowded, endpoints);
  const served = { echo: { handler: "echo", workers: 1 } } as const;
  await using many = await crowded.startEmulator(served);
  const alone = await newPlace(bench, "alone");
  await using one = await alone.startEmulator(served);
  await wait(SETTLE_MS);
  const load = { inFlight: IN_FLIGHT, durationMs: bench.quick ? 1000 : 3000 };
  const p99 = async (emulator: EmulatorProcess): Promise<number> => {
    const job = emulator.submission("echo", "run", submissionBody);
    const { p99Ms } = await bench.client.load(job, load, '"IN_QUEUE"');
    await jobDone(bench.client, emulator);
    return p99Ms;
  };
  const measured = await interleave(bench, bench.quick ? 3 : 9, {
    many: () => p99(many),
    one: () => p99(one),
  });
  await bench.client.leave(many.origin);
  await bench.client.leave(one.origin);
  return [
    lineOf({
      what: `/run p99, ${IN_FLIGHT} in flight: ${number(endpoints)} endpoints, ${number(endpoints * JOBS_EACH)} queued`,
      unit: "ms",
      ours: measured.many,
      beside: "one endpoint, empty queue",
      others: measured.one,
      target: (times) => atMost(LIMIT, times),
    }),
  ];
}

async function fill(place: Place, endpoints: number): Promise<void> {
  await using store = await place.openStore();
  await store.crowd(endpoints, JOBS_EACH);
}

export const crowd: Row = {
  id: "crowd",
  title: "A submission to a service with many endpoints and long queues",
  measure: (bench) => measure(bench, newDirectory),
};

export const crowdOnPostgres: Row = {
  id: "crowd-postgres",
  title: "A submission to a service on PostgreSQL with many endpoints and long queues",
  async measure(bench) {
    await using server = await startPostgresServer(bench);
    return await measure(bench, databasesOn(server));
  },
};
