/** Row: cost and memory of a job while a thousand or a million others wait. */
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave } from "../bench.ts";
import type { EmulatorProcess } from "../emulator-process.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { startPostgresServer } from "../peers/postgres-server.ts";
import { submissionBody } from "../payload.ts";
import { databasesOn, newDirectory, type NewPlace, type Place } from "../place.ts";
import { rssBytes } from "../processes.ts";
import { summarize } from "../statistics.ts";
import type { StoreProgram } from "../store-program.ts";
import { number } from "../table.ts";
import type { Row } from "./row.ts";

const LIMIT = 1.2;
const SHALLOW_JOBS = 1000;
const DEEP_JOBS = 1_000_000;
const QUICK_DEEP_JOBS = 100_000;
const PER_COMMIT = 50;
const SETTLE_MS = 1500;
const MICROS = 1_000_000;
const BYTES_PER_MB = 1_000_000;

/** A place with this number of waiting jobs of the endpoint `waiting`. */
interface Depth {
  readonly place: Place;
  readonly jobs: number;
}
interface Depths {
  readonly shallow: Depth;
  readonly deep: Depth;
}

async function measure(bench: Bench, newPlace: NewPlace): Promise<readonly Line[]> {
  const jobs = bench.quick ? QUICK_DEEP_JOBS : DEEP_JOBS;
  const depths: Depths = {
    shallow: { place: await newPlace(bench, "shallow"), jobs: SHALLOW_JOBS },
    deep: { place: await newPlace(bench, "deep"), jobs },
  };
  const store = await storeLine(bench, depths);
  const others = await otherEndpointLines(bench, depths);
  const same = await sameEndpointLine(bench, depths);
  return [store, same, ...others];
}

/** Inserts, hands over and finishes jobs through the store alone, in the long queue itself. */
async function storeLine(bench: Bench, { shallow, deep }: Depths): Promise<Line> {
  await using few = await filled(bench, shallow);
  await using many = await filled(bench, deep);
  const jobs = bench.quick ? 2000 : 5000;
  const micros = await interleave(bench, bench.rounds, {
    deep: () => many.cycleMicros("waiting", jobs, PER_COMMIT),
    shallow: () => few.cycleMicros("waiting", jobs, PER_COMMIT),
  });
  return line(`store cycle, same queue, ${PER_COMMIT} per commit`, deep, micros);
}

async function filled(bench: Bench, depth: Depth): Promise<StoreProgram> {
  const store = await depth.place.openStore();
  await store.fill("waiting", depth.jobs, (done) => {
    bench.progress.say(`queueing ${number(done)} of ${number(depth.jobs)} jobs`);
  });
  return store;
}

/** Measures jobs of one endpoint over HTTP while jobs of another one wait, and the memory of the waiting jobs. */
async function otherEndpointLines(bench: Bench, { shallow, deep }: Depths): Promise<Line[]> {
  const endpoints = {
    echo: { handler: "echo", workers: 1 },
    waiting: { handler: "echo", workers: 0 },
  } as const;
  await using few = await shallow.place.startEmulator(endpoints);
  await using many = await deep.place.startEmulator(endpoints);
  await wait(SETTLE_MS);
  const memory = { few: rssBytes(few.pid) ?? NaN, many: rssBytes(many.pid) ?? NaN };
  const load = { inFlight: 50, durationMs: bench.quick ? 1000 : 3000 };
  const micros = async (emulator: EmulatorProcess): Promise<number> => {
    const job = emulator.submission("echo", "runsync", submissionBody);
    return MICROS / (await bench.client.load(job, load, '"COMPLETED"')).perSecond;
  };
  const measured = await interleave(bench, bench.rounds, {
    deep: () => micros(many),
    shallow: () => micros(few),
  });
  await bench.client.leave(few.origin);
  await bench.client.leave(many.origin);
  return [
    line("/runsync, 50 in flight, another endpoint's queue", deep, measured),
    {
      what: `RSS of the emulator per waiting job, of ${number(deep.jobs)}`,
      unit: "B",
      ours: summarize([(memory.many - memory.few) / (deep.jobs - shallow.jobs)]),
      notes: [
        `RSS of the emulator after its start: ${number(memory.few / BYTES_PER_MB)} MB with ${number(shallow.jobs)} waiting, ` +
          `${number(memory.many / BYTES_PER_MB)} MB with ${number(deep.jobs)}; waiting jobs are only on the disk`,
      ],
    },
  ];
}

/** Submits jobs over HTTP as fast as the worker finishes the oldest ones, so that the queue keeps its length. */
async function sameEndpointLine(bench: Bench, { shallow, deep }: Depths): Promise<Line> {
  const body = JSON.stringify({ ...JSON.parse(submissionBody), policy: { lowPriority: true } });
  const plan = { ahead: 500, warmUpMs: 1000, durationMs: bench.quick ? 1000 : 3000 };
  const micros = async ({ place }: Depth): Promise<number> => {
    // The emulator is started for each round: its worker would go on with the queue while the other one is measured.
    await using emulator = await place.startEmulator({
      waiting: { handler: "echo", workers: 1 },
    });
    const job = emulator.submission("waiting", "run", body);
    const { completedPerSecond } = await bench.client.churn(job, 51, plan);
    await bench.client.leave(emulator.origin);
    return MICROS / completedPerSecond;
  };
  const measured = await interleave(bench, bench.quick ? 1 : bench.rounds, {
    deep: () => micros(deep),
    shallow: () => micros(shallow),
  });
  return line("/run to COMPLETED, same queue kept at its length", deep, measured);
}

function line(
  what: string,
  deep: Depth,
  micros: { readonly deep: readonly number[]; readonly shallow: readonly number[] },
): Line {
  return lineOf({
    what: `${what}: ${number(deep.jobs)} queued`,
    unit: "µs",
    ours: micros.deep,
    beside: `${number(SHALLOW_JOBS)} queued`,
    others: micros.shallow,
    target: (times) => atMost(LIMIT, times),
  });
}

export const queueDepth: Row = {
  id: "queue",
  title: "Time per job while others wait",
  measure: (bench) => measure(bench, newDirectory),
};

export const queueDepthOnPostgres: Row = {
  id: "queue-postgres",
  title: "Time per job on PostgreSQL while others wait",
  async measure(bench) {
    await using server = await startPostgresServer(bench);
    return await measure(bench, databasesOn(server));
  },
};
