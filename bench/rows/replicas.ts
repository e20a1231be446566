/** Row: jobs per second and processor time of one, two and three replicas on one PostgreSQL server. */
import { setTimeout as wait } from "node:timers/promises";
import { type Bench, interleave, newFolder } from "../bench.ts";
import { metered, type MeteredLoad, microsPerJobInAll, perJob } from "../cpu-meter.ts";
import { type EmulatorProcess, startEmulatorFor } from "../emulator-process.ts";
import { type Line, lineOf } from "../line.ts";
import type { Load, LoadResult } from "../load/closed-loop.ts";
import { submissionBody } from "../payload.ts";
import { type PostgresServer, startPostgresServer } from "../peers/postgres-server.ts";
import type { Row } from "./row.ts";

const ENDPOINTS = Array.from({ length: 8 }, (_, at) => `echo-${at}`);
const IN_FLIGHT = 64;
const EXPECTED = '"COMPLETED"';
/** Time without a move of workers after which the replicas count as settled. A new replica gets its share after 3 s. */
const CALM_MS = 6_000;
const PATIENCE_MS = 120_000;
const LOOK_MS = 200;

interface Service {
  /** Number of workers per replica. */
  readonly spread: string;
  load(load: Load): Promise<MeteredLoad>;
  /** Closes the client's connections. */
  leave(): Promise<void>;
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startPostgresServer(bench));
  const one = await startReplicas(bench, parts, server, 1);
  const two = await startReplicas(bench, parts, server, 2);
  const three = await startReplicas(bench, parts, server, 3);
  const load = { inFlight: IN_FLIGHT, durationMs: bench.quick ? 1_500 : 4_000 };
  const measured = await interleave(bench, bench.rounds, {
    one: () => one.load(load),
    two: () => two.load(load),
    three: () => three.load(load),
  });
  for (const each of [one, two, three]) await each.leave();
  const services = { one, two, three };
  const notes = (["one", "two", "three"] as const).map(
    (name) => `${name} (workers: ${services[name].spread}): ${perJob(measured[name])}`,
  );
  const perSecond = (rounds: readonly LoadResult[]) => rounds.map((round) => round.perSecond);
  return (["two", "three"] as const).flatMap((name) => [
    lineOf({
      what: `/runsync, any of ${name} replicas asked, ${IN_FLIGHT} in flight`,
      unit: "jobs/s",
      ours: perSecond(measured[name]),
      beside: "one replica",
      others: perSecond(measured.one),
      notes,
    }),
    lineOf({
      what: `the same: processor time of all processes, ${name} replicas`,
      unit: "µs",
      ours: microsPerJobInAll(measured[name]),
      beside: "one replica",
      others: microsPerJobInAll(measured.one),
    }),
  ]);
}

async function startReplicas(
  bench: Bench,
  parts: AsyncDisposableStack,
  server: PostgresServer,
  count: number,
): Promise<Service> {
  const { client } = bench;
  const store = await server.database(`replicas-${count}`);
  const endpoint = { handler: "echo", workers: 1, env: { SV_STANDBY: "0" } } as const;
  const served = Object.fromEntries(ENDPOINTS.map((id) => [id, endpoint]));
  const emulators: EmulatorProcess[] = [];
  for (let at = 0; at < count; at += 1) {
    const folder = newFolder(bench, "replica");
    emulators.push(parts.use(await startEmulatorFor(folder, served, { store, isShared: true })));
  }
  const subjects = emulators.flatMap((emulator) =>
    ENDPOINTS.map((id) => emulator.submission(id, "runsync", submissionBody)),
  );
  await spread(emulators);
  await client.load(subjects, { inFlight: subjects.length, durationMs: 1 }, EXPECTED);
  const workers = emulators.flatMap((emulator) => emulator.workers());
  const processes = {
    emulators: emulators.map(({ pid }) => pid),
    PostgreSQL: { withChildren: server.pid },
    supervisors: workers.map(({ supervisor }) => supervisor),
    handlers: workers.map(({ handler }) => handler),
    client: client.pid,
  };
  return {
    spread: emulators.map((emulator) => emulator.workers().length).join(" + "),
    load: (load) => metered(processes, () => client.load(subjects, load, EXPECTED)),
    leave: async () => {
      for (const { origin } of emulators) await client.leave(origin);
    },
  };
}

/** Resolves when each endpoint has its one worker and moves have ended. */
async function spread(emulators: readonly EmulatorProcess[]): Promise<void> {
  const startedAt = performance.now();
  let before = "";
  let since = startedAt;
  for (;;) {
    const workers = emulators.map((emulator) => emulator.workers());
    const now = performance.now();
    const seen = JSON.stringify(workers);
    if (seen !== before) since = now;
    before = seen;
    if (workers.flat().length === ENDPOINTS.length && now - since >= CALM_MS) return;
    if (now - startedAt > PATIENCE_MS)
      throw new Error(`The workers of ${emulators.length} replicas did not settle.`);
    await wait(LOOK_MS);
  }
}

export const replicas: Row = {
  id: "replicas",
  title: "One, two and three replicas on one PostgreSQL: 200 B, 8 endpoints with one worker each",
  measure,
};
