/** Puts the same load on several services, round by round: answers per second, and processor time. */
import { type Bench, interleave, newFolder, OTHER_CHECKOUT } from "./bench.ts";
import {
  type MeteredLoad,
  type MeteredProcesses,
  metered,
  microsPerJob,
  perJob,
} from "./cpu-meter.ts";
import { type EmulatorPlace, jobDone, startEmulatorFor, submissionTo } from "./emulator-process.ts";
import { startBareServer } from "./floors/http.ts";
import { atLeast, atMost, type Line, lineOf } from "./line.ts";
import type { Load, LoadResult } from "./load/closed-loop.ts";
import { submissionBody } from "./payload.ts";
import { type BullMqSettings, findBullMq } from "./peers/bullmq.ts";
import { median, sum } from "./statistics.ts";
import { number } from "./table.ts";

/** Maximum share of the other checkout's processor time per job. */
const CPU_LIMIT = 0.65;
const ANSWERS = { run: '"IN_QUEUE"', runsync: '"COMPLETED"' } as const;

type Operation = keyof typeof ANSWERS;

export interface Contestant {
  readonly processes: MeteredProcesses;
  load(load: Load): Promise<LoadResult>;
}

interface Rival {
  readonly name: string;
  /** The contestant, or the reason why it is missing. */
  readonly contestant: Contestant | string;
  /** Wanted ratio of answers per second. */
  readonly least?: number;
}

interface Contest {
  readonly what: string;
  readonly unit: "jobs/s" | "req/s";
  readonly inFlight: number;
  readonly ours: Contestant;
  readonly rivals: readonly Rival[];
}

/** A built emulator with one worker of a handler in `bench/handlers/`. */
export async function ofEmulator(
  bench: Bench,
  parts: AsyncDisposableStack,
  [operation, handler]: readonly [Operation, string],
  place: EmulatorPlace = {},
): Promise<Contestant> {
  const { client } = bench;
  const folder = newFolder(bench, "emulator");
  const served = { echo: { handler, workers: 1 } } as const;
  const emulator = parts.use(await startEmulatorFor(folder, served, place));
  // All processes of the worker exist once a job is done.
  await jobDone(client, emulator);
  const job = emulator.submission("echo", operation, submissionBody);
  return {
    processes: { ...emulator.pids(), client: client.pid },
    load: async (load) => {
      const result = await client.load(job, load, ANSWERS[operation]);
      if (operation === "run") await jobDone(client, emulator);
      return result;
    },
  };
}

/** The other checkout, if there is one. */
export async function ofOtherCheckout(
  bench: Bench,
  parts: AsyncDisposableStack,
  task: readonly [Operation, string],
): Promise<readonly Rival[]> {
  if (bench.against === undefined) return [];
  const contestant = await ofEmulator(bench, parts, task, { checkout: bench.against });
  return [{ name: OTHER_CHECKOUT, contestant }];
}

export async function ofBullMq(
  bench: Bench,
  parts: AsyncDisposableStack,
  settings: BullMqSettings,
): Promise<Contestant | string> {
  const found = await findBullMq(newFolder(bench, "bullmq"), settings);
  return typeof found === "string" ? found : parts.use(found);
}

/** BullMQ behind a bare HTTP server, with the same client as ours. */
export async function ofServedBullMq(
  bench: Bench,
  parts: AsyncDisposableStack,
  settings: BullMqSettings,
): Promise<Contestant | string> {
  const { client } = bench;
  const found = await findBullMq(newFolder(bench, "bullmq"), settings);
  if (typeof found === "string") return found;
  const { redis, worker, client: server } = parts.use(found).processes;
  const job = submissionTo(await found.serve(), "echo", "runsync", submissionBody);
  return {
    processes: { redis, worker, server, client: client.pid },
    load: (load) => client.load(job, load, ANSWERS.runsync),
  };
}

export async function ofBareServer(
  { client }: Bench,
  parts: AsyncDisposableStack,
  operation: Operation,
): Promise<Contestant> {
  const { origin, pid } = parts.use(await startBareServer());
  const job = submissionTo(origin, "echo", operation, submissionBody);
  const expected = operation === "run" ? ANSWERS.run : "input";
  const load = (wanted: Load): Promise<LoadResult> => client.load(job, wanted, expected);
  return { processes: { server: pid, client: client.pid }, load };
}

export async function contest(bench: Bench, plan: Contest): Promise<readonly Line[]> {
  const { what, unit, inFlight, ours, rivals } = plan;
  const load = { inFlight, durationMs: bench.quick ? 1000 : 3000 };
  const subjects: Record<string, () => Promise<MeteredLoad>> = {};
  for (const { name, contestant } of [{ name: "ours", contestant: ours }, ...rivals]) {
    if (typeof contestant === "string") continue;
    subjects[name] = () => metered(contestant.processes, () => contestant.load(load));
  }
  const measured = await interleave(bench, bench.rounds, subjects);
  const of = (name: string): readonly MeteredLoad[] | undefined => measured[name];
  const own = of("ours") ?? [];
  const lines = rivals.map(({ name, least }) => {
    const others = of(name)?.map(perSecond);
    const line = { what, unit, ours: own.map(perSecond), beside: name, others };
    if (least === undefined) return lineOf(line);
    return lineOf({ ...line, target: (times) => atLeast(least, times) });
  });
  const notes = Object.entries(measured).map(
    ([name, rounds]) =>
      `${what}: ${name}: p50 / p99 ${latency(rounds)}; processor time each: ${perJob(rounds)}`,
  );
  const missing = rivals.flatMap(({ name, contestant }) =>
    typeof contestant === "string" ? [`${name}: not measured: ${contestant}`] : [],
  );
  const [first, ...rest] = [...lines, ...cpuLines(what, own, of(OTHER_CHECKOUT))];
  return first === undefined ? [] : [{ ...first, notes: [...missing, ...notes] }, ...rest];
}

function cpuLines(
  what: string,
  ours: readonly MeteredLoad[],
  others: readonly MeteredLoad[] | undefined,
): readonly Line[] {
  if (others === undefined) return [];
  const withSupervisor = (loads: readonly MeteredLoad[]): number[] =>
    sum(microsPerJob(loads, "emulator"), microsPerJob(loads, "supervisor"));
  return [
    lineOf({
      what: `${what}: processor time of emulator and supervisor per job`,
      unit: "µs",
      ours: withSupervisor(ours),
      beside: OTHER_CHECKOUT,
      others: withSupervisor(others),
    }),
    lineOf({
      what: `${what}: processor time of the emulator per job`,
      unit: "µs",
      ours: microsPerJob(ours, "emulator"),
      beside: OTHER_CHECKOUT,
      others: microsPerJob(others, "emulator"),
      target: (times) => atMost(CPU_LIMIT, times),
    }),
  ];
}

function perSecond(load: LoadResult): number {
  return load.perSecond;
}

function latency(rounds: readonly LoadResult[]): string {
  const p50 = median(rounds.map(({ p50Ms }) => p50Ms));
  const p99 = median(rounds.map(({ p99Ms }) => p99Ms));
  return `${number(p50)} / ${number(p99)} ms`;
}
