/** Faults of a fleet and its database under load; each fault is over when its function resolves. */
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { LeapingClock } from "../../setup/fake-time.ts";
import type { Postgres } from "../../setup/postgres.ts";
import { type History, monotonicUs } from "../crash/history.ts";
import type { SeededRandom } from "../crash/seeded-random.ts";
import { eventually, processesMarked } from "../jobs/observe.ts";
import { asked } from "./audit.ts";
import type { Fleet, Seat } from "./fleet.ts";

export interface FaultScene {
  readonly fleet: Fleet;
  readonly postgres: Postgres;
  /** Port of the shared database. */
  readonly url: string;
  readonly random: SeededRandom;
  readonly history: History;
  /** Variables of all workers and handlers. */
  readonly mark: string;
  /** Clock of the database server; undefined: this machine's clock. */
  readonly databaseClock: LeapingClock | undefined;
  /** Duration for which a snapshot is held, ms. */
  readonly snapshotMs: number;
}

/** Maximum time until an emulator is up again, or notices that it was replaced. */
const LIMIT_MS = 40_000;

/** Maximum leap of a clock, s. */
const LEAP_S = 3_600;
/** Time in which all replicas have read their clocks, ms. */
const LEAP_SEEN_MS = 4_000;

/** Pause before a fault, so that its effects can be measured alone. */
const QUIET_MS = 9_000;

/** A fault of one emulator, which has only one fault at a time. */
const TO_ONE: Readonly<Record<string, (scene: FaultScene, seat: Seat) => Promise<void>>> = {
  kill,
  stop: endInOrder,
  freeze,
  "cut off": cutOff,
  "cut COMMIT": cutCommit,
  "clock leaps": leap,
};

const TO_ALL: Readonly<Record<string, (scene: FaultScene) => Promise<void>>> = {
  "end backends": endBackends,
  "kill workers": killWorkers,
  "restart PostgreSQL": restartPostgres,
  "database clock leaps": leapOfDatabase,
};

/**
 * Causes random faults until `stop`, sometimes two at once; resolves when all are over. `CLUSTER_FAULTS`, a list
 * with commas, limits them to those it names.
 */
export async function strikeUntil(scene: FaultScene, stop: AbortSignal): Promise<void> {
  const { random } = scene;
  const snapshots = holdSnapshots(scene, stop);
  const names = process.env["CLUSTER_FAULTS"]?.split(",") ?? Object.keys({ ...TO_ONE, ...TO_ALL });
  let bag: string[] = [];
  const strikeNext = async () => {
    if (bag.length === 0) bag = [...names];
    const [name = ""] = bag.splice(random.integer(0, bag.length - 1), 1);
    const strike = () => scene.fleet.strike();
    const seat =
      name in TO_ONE ? await eventually("an emulator to strike", strike, 3 * LIMIT_MS) : undefined;
    const beganAt = monotonicUs();
    if (seat === undefined) await TO_ALL[name]?.(scene);
    else await TO_ONE[name]?.(scene, seat).finally(() => (seat.isStruck = false));
    scene.history.add({ type: "fault", name, beganAt });
  };
  while (!stop.aborted) {
    const pauseMs = random.next() < 0.2 ? QUIET_MS : random.integer(200, 3_000);
    await delay(pauseMs, undefined, { signal: stop }).catch(() => undefined);
    const together = stop.aborted ? 0 : random.next() < 0.25 ? 2 : 1;
    await Promise.all(Array.from({ length: together }, strikeNext));
  }
  await snapshots;
}

async function kill({ fleet }: FaultScene, seat: Seat): Promise<void> {
  seat.mayEnd = true;
  await seat.emulator.kill();
  await fleet.isWhole(LIMIT_MS);
}

async function endInOrder({ fleet, history }: FaultScene, seat: Seat): Promise<void> {
  seat.mayEnd = true;
  const code = await seat.emulator.stop();
  const says = `when it was stopped, with code ${code}\n${seat.emulator.printed.slice(-2_000)}`;
  if (code !== 0) history.add({ type: "died", seat: seat.number, says });
  await fleet.isWhole(LIMIT_MS);
}

/** The duration is longer or shorter than its lease. */
async function freeze(scene: FaultScene, seat: Seat): Promise<void> {
  const { random } = scene;
  const forLong = random.next() < 0.6;
  seat.emulator.freeze();
  try {
    if (forLong) await outliveIt(scene, seat, random.integer(6_000, 9_000));
    else await delay(random.integer(200, 3_000));
  } finally {
    seat.emulator.thaw();
  }
  if (forLong) await isReplaced(scene, seat);
}

/** Data sent during the cut arrives afterwards, unless the connections have ended. */
async function cutOff(scene: FaultScene, seat: Seat): Promise<void> {
  const { random } = scene;
  const forLong = random.next() < 0.4;
  await seat.cut();
  if (forLong) await outliveIt(scene, seat, random.integer(6_000, 12_000));
  else await delay(random.integer(200, 4_000));
  if (random.next() < 0.5) {
    seat.door.close();
    await seat.door.open();
  }
  await seat.heal();
  if (forLong) await isReplaced(scene, seat);
}

/** A spare emulator, if there is one, has taken over by then. */
async function outliveIt({ fleet }: FaultScene, seat: Seat, ms: number): Promise<void> {
  const until = delay(ms);
  if (fleet.hasSpare) {
    seat.abandon();
    await fleet.isWhole(LIMIT_MS, seat);
  }
  await until;
}

/** An emulator without replicas that was replaced ends by itself. */
async function isReplaced({ fleet, history }: FaultScene, seat: Seat): Promise<void> {
  if (!fleet.hasSpare) return;
  await Promise.race([seat.emulator.ended, delay(LIMIT_MS, undefined, { ref: false })]);
  if (seat.isIdle) return;
  history.add({ type: "died", seat: seat.number, says: "not at all, though it was replaced" });
  await seat.emulator.kill();
}

async function cutCommit({ random }: FaultScene, seat: Seat): Promise<void> {
  const fate = random.next() < 0.7 ? "cut-reply" : "cut-before";
  for (let cuts = random.integer(1, 4); cuts > 0; cuts -= 1)
    await Promise.race([seat.door.cutAt("COMMIT", fate), delay(2_000)]);
}

async function endBackends({ url, random }: FaultScene): Promise<void> {
  const share = random.next() < 0.5 ? 1 : 0.3;
  for (let times = random.integer(1, 5); times > 0; times -= 1) {
    await asked(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'sv-runtime %' AND random() < ${share}`,
    ).catch(() => undefined);
    await delay(random.integer(0, 300));
  }
}

async function killWorkers({ mark, random }: FaultScene): Promise<void> {
  for (let count = random.integer(1, 3); count > 0; count -= 1) {
    const workers = processesMarked(mark);
    const worker = workers[random.integer(0, workers.length - 1)];
    try {
      if (worker !== undefined) process.kill(worker.pid, "SIGKILL");
    } catch {
      // The emulator has ended during the fault.
    }
  }
}

/** Number of seconds by which each clock that cannot go back is ahead. */
const ahead = new WeakMap<LeapingClock, number>();

/** Sets clocks to within an hour of the right time. All clocks of a machine only go forward, up to an hour at a time. */
async function leap({ random }: FaultScene, { clock }: Seat): Promise<void> {
  if (clock === undefined) return;
  if (clock.clocks === "all") {
    const seconds = (ahead.get(clock) ?? 0) + random.integer(1, LEAP_S);
    ahead.set(clock, seconds);
    clock.setForward(seconds);
  } else clock.setForward(random.integer(-LEAP_S, LEAP_S));
  await delay(LEAP_SEEN_MS);
}

async function leapOfDatabase({ databaseClock, random }: FaultScene): Promise<void> {
  databaseClock?.setForward(random.integer(-LEAP_S, LEAP_S));
  await delay(LEAP_SEEN_MS);
}

let restarting: Promise<void> = Promise.resolve();

async function restartPostgres({ postgres, random }: FaultScene): Promise<void> {
  const before = restarting;
  const { promise, resolve } = Promise.withResolvers<void>();
  restarting = promise;
  await before;
  try {
    await postgres.stop(random.next() < 0.5 ? "SIGQUIT" : "SIGINT");
    await delay(random.integer(0, 4_000));
    await postgres.start();
  } finally {
    resolve();
  }
}

/** These faults run one after the other, because data that is deleted during a fault cannot be cleared away. */
async function holdSnapshots(scene: FaultScene, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const client = new pg.Client({ connectionString: scene.url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
      await delay(scene.snapshotMs, undefined, { signal: stop });
    } catch {
      // The server is away, or the run is over.
      await delay(100);
    }
    await client.end().catch(() => undefined);
  }
}
