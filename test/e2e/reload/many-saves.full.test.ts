/** Hundreds of saves in a row add no processes and no memory. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ObservedProcess } from "../jobs/observe.ts";
import { answering, expectAnswer, ReloadingEmulator } from "./reloading-emulator.ts";
import { PROC } from "../../setup/proc.ts";

const SAVES = 500;
/** Caches of the programs and of their allocators fill up at first. */
const WARM_UP = 100;

const SAMPLES = 10;
const SAMPLE_EVERY_MS = 300;

const preload = new URL("../../fixtures/preload/collects-when-told.mjs", import.meta.url);

/** The memory for young objects is kept small: on a slow machine it would grow by tens of MB, and stay large. */
const NODE_OPTIONS = `--expose-gc --max-semi-space-size=1 --import ${preload.href}`;

/** Options of the service reach its supervisors only where an endpoint sets others of its own. */
const OF_ENDPOINT = `${NODE_OPTIONS} --no-warnings`;

/** Processes that live as long as the service, and processes of each version: the running one and the reserve. */
const PROGRAMS = { "sv-emulate": 1, "sv-worker": 1, esbuild: 1, "handler-process": 2 };

/** Number of processes of each program. */
function programs(served: ReloadingEmulator): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of served.processes().map(programOf)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** A process that is not one of `PROGRAMS` is described by its command line. */
function programOf({ commandLine }: ObservedProcess): string {
  return Object.keys(PROGRAMS).find((name) => commandLine.includes(name)) ?? commandLine;
}

/** Waits for processes that are ending or starting. */
async function settle(served: ReloadingEmulator): Promise<void> {
  await expect.poll(() => programs(served)).toEqual(PROGRAMS);
}

/**
 * Memory of the emulator, its bundler and its worker when they are idle and their garbage is collected: idle
 * programs do not collect it by themselves, and a worker's garbage may be as large as the rest. The handler's
 * processes are new with each save.
 */
async function restingBytes(served: ReloadingEmulator): Promise<number> {
  const samples: number[] = [];
  while (samples.length < SAMPLES) {
    const lasting = served.processes().filter((one) => programOf(one) !== "handler-process");
    for (const { pid } of lasting.filter(collectsWhenTold)) process.kill(pid, "SIGUSR2");
    await delay(SAMPLE_EVERY_MS);
    samples.push(lasting.reduce((sum, one) => sum + residentOf(one), 0));
  }
  return Math.min(...samples);
}

/** The bundler is no Node program, and the signal would end it. */
function collectsWhenTold(one: ObservedProcess): boolean {
  return ["sv-emulate", "sv-worker"].includes(programOf(one));
}

function residentOf({ pid }: ObservedProcess): number {
  const status = fs.readFileSync(`${PROC}/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

test(
  `${SAVES} saves in a row leave no process and no memory behind`,
  { timeout: 600_000 },
  async () => {
    await using served = await ReloadingEmulator.start(
      {
        "app/saved/handler.ts": answering("0"),
        "sv.config.json": JSON.stringify({
          endpoints: {
            saved: { handler: "app/saved/handler.ts", env: { NODE_OPTIONS: OF_ENDPOINT } },
          },
        }),
      },
      { args: ["sv.config.json"], env: { NODE_OPTIONS } },
    );
    const save = async (from: number, to: number): Promise<void> => {
      for (let version = from; version <= to; version += 1) {
        served.save("app/saved/handler.ts", answering(String(version)));
        await served.reloaded("saved", version);
      }
      await expectAnswer(served, "saved", String(to));
    };
    await save(1, WARM_UP);
    await settle(served);
    const before = await restingBytes(served);
    await save(WARM_UP + 1, SAVES);
    await settle(served);
    expect((await restingBytes(served)) / before).toBeLessThan(1.1);
    expect(served.reloads("saved")).toBe(SAVES);
  },
);
