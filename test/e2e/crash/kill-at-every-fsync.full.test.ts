/**
 * Kills the emulator at each sync of a short script, with one run for each sync, and looks for lost and repeated
 * jobs.
 */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { straceIsMissing } from "../../setup/strace.ts";
import { processesMarked } from "../jobs/observe.ts";
import { type CrashScene, makeCrashScene } from "./crash-scene.ts";
import { endOf, Script, SCRIPT_ENDPOINTS } from "./fsync-script.ts";
import { check } from "./history-checker.ts";
import { KillableEmulator } from "./killable-emulator.ts";
import { SeededRandom, seedOfThisRun } from "./seeded-random.ts";

/** Maximum runs. With more syncs the test takes an even sample, each time another one, and says so. */
const MAX_RUNS = 150;
/** Number of parallel runs; the tests are made for machines with two cores. */
const LANES = 2;

/**
 * strace counts the calls of each thread separately. SQLite syncs with fsync in the store's thread; the pool's
 * only thread syncs payload files with fdatasync, and their directory with fsync.
 */
interface Syncs {
  readonly of: string;
  readonly call: "fsync" | "fdatasync";
  /** Counts only syncs of this file or directory. */
  readonly path?: (scene: CrashScene) => string;
}

const DATABASE: Syncs = { of: "the database", call: "fsync" };

const PAYLOADS: readonly Syncs[] = [
  { of: "payload files", call: "fdatasync" },
  {
    of: "the payload directory",
    call: "fsync",
    path: ({ dataDirectory }) => path.join(dataDirectory, "payloads"),
  },
];

/**
 * The emulator stays the child of this process (-D). strace detaches from its workers, which sync nothing. With
 * --seccomp-bpf strace would deliver no signals.
 */
function strace({ call, path: only }: Syncs, scene: CrashScene, what: readonly string[]) {
  const filter = only === undefined ? [] : ["-P", only(scene)];
  return ["strace", "-D", "-f", "--detach-on=execve", ...filter, "-e", `trace=${call}`, ...what];
}

function startTraced(syncs: Syncs, scene: CrashScene, what: readonly string[]): KillableEmulator {
  return new KillableEmulator({
    config: scene.config,
    port: 0,
    under: strace(syncs, scene, what),
    env: { UV_THREADPOOL_SIZE: "1" },
  });
}

/** Number of syncs that the busiest thread makes in the script without a kill. */
async function countSyncs(syncs: Syncs): Promise<number> {
  using scene = makeCrashScene(SCRIPT_ENDPOINTS);
  const log = path.join(path.dirname(scene.config), "strace.log");
  await using emulator = startTraced(syncs, scene, ["-o", log]);
  await using script = new Script(scene.history, await emulator.ready);
  expect(await script.play()).toBe(true);
  expect(await emulator.stop()).toBe(0);
  const calls = [...fs.readFileSync(log, "utf8").matchAll(/^(\d+) +f(?:data)?sync\(/gm)];
  const ofThreads = Map.groupBy(calls, ([, thread]) => thread).values();
  return Math.max(0, ...ofThreads.map(({ length }) => length));
}

/** Whether there was an n-th sync. After the kill the emulator must continue as if nothing had happened. */
async function killAt(syncs: Syncs, n: number): Promise<boolean> {
  using scene = makeCrashScene(SCRIPT_ENDPOINTS);
  const what = ["-o", "/dev/null", "-e", `inject=${syncs.call}:signal=KILL:when=${n}`];
  await using emulator = startTraced(syncs, scene, what);
  const wasReady = await emulator.ready.then(
    () => true,
    () => false,
  );
  if (wasReady) {
    await using script = new Script(scene.history, await emulator.ready);
    if (await script.play()) await emulator.stop();
  }
  const { signal } = await emulator.ended;
  scene.history.add({ type: "killed" });

  await using next = new KillableEmulator({ config: scene.config, port: 0 });
  await using script = new Script(scene.history, await next.ready);
  if (!wasReady) expect(await script.play()).toBe(true);
  await script.settle().catch((error: unknown) => {
    const facts = scene.history.facts().map((fact) => JSON.stringify(fact).slice(0, 200));
    const told = [`killed at sync ${n}`, next.printed, ...facts].join("\n");
    throw new Error(told, { cause: error });
  });
  expect(await next.stop()).toBe(0);
  expect({ n, violations: check(scene.history.facts(), endOf) }).toEqual({ n, violations: [] });
  // Workers of the killed emulator end by themselves once they are up.
  await expect.poll(() => processesMarked(scene.mark)).toEqual([]);
  return signal === "SIGKILL";
}

/** Numbers of the syncs to kill at: every `step`-th from `first` on. */
interface Sample {
  readonly first: number;
  readonly step: number;
}

/**
 * Kills at some of the `counted` syncs, and at later ones until a run ends without a kill; returns the number of
 * kills.
 */
async function killAtEach(syncs: Syncs, counted: number, { first, step }: Sample): Promise<number> {
  let kills = 0;
  let next = first;
  let isOver = false;
  async function lane(): Promise<void> {
    while (next <= counted || !isOver) {
      const n = next;
      next += step;
      if (await killAt(syncs, n)) kills += 1;
      else isOver = true;
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane));
  return kills;
}

it.skipIf(straceIsMissing !== undefined).each([DATABASE, ...PAYLOADS])(
  "an emulator that is killed at any sync of $of loses and repeats nothing",
  { timeout: 600_000 },
  async (syncs) => {
    const counted = await countSyncs(syncs);
    const step = Math.ceil(counted / MAX_RUNS);
    const random = new SeededRandom(seedOfThisRun());
    const first = random.integer(1, step);
    const sample = `from ${first} on every ${step}th is killed at (CRASH_SEED=${random.seed})`;
    if (step > 1) console.log(`${counted} syncs of ${syncs.of}: ${sample}`);
    const kills = await killAtEach(syncs, counted, { first, step });
    console.log(`figure: kills at syncs of ${syncs.of}: ${kills} (${counted} counted in one run)`);
    // The number depends on which changes share a commit, and differs a little between runs.
    expect(kills).toBeGreaterThan((counted / step) * 0.8 - 1);
    expect(kills).toBeGreaterThan(0);
  },
);
