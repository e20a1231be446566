/** Five hundred saves in a row: as many processes as before, and no more memory. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { eventually, type ObservedProcess } from "../jobs/observe.ts";
import { answering, expectAnswer, ReloadingEmulator } from "./reloading-emulator.ts";

const SAVES = 500;
/** Caches of the programs and of their allocators fill up at first. */
const WARM_UP = 100;

/** What the emulator, its bundler and its worker have in memory. The handler's processes are new with each save. */
function residentBytes(served: ReloadingEmulator): number {
  const lasting = served.processes().filter(({ commandLine }) => !isHandler(commandLine));
  return lasting.reduce((sum, process) => sum + residentOf(process), 0);
}

function isHandler(commandLine: string): boolean {
  return commandLine.includes("handler-process");
}

function residentOf({ pid }: ObservedProcess): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

/** The process that runs, and the one that waits. */
async function settled(served: ReloadingEmulator): Promise<readonly string[]> {
  return eventually("as many handler processes as at the start", () => {
    const all = served.processes().map(({ commandLine }) => commandLine);
    return all.filter(isHandler).length === 2 ? all : undefined;
  });
}

test("five hundred saves in a row leave no process behind and no memory taken", async () => {
  await using served = await ReloadingEmulator.start({ "app/saved/handler.ts": answering("0") });
  const save = async (from: number, to: number): Promise<void> => {
    for (let version = from; version <= to; version += 1) {
      served.save("app/saved/handler.ts", answering(String(version)));
      await served.reloaded("saved", version);
    }
    await expectAnswer(served, "saved", String(to));
  };
  await save(1, WARM_UP);
  const processes = await settled(served);
  const before = residentBytes(served);
  await save(WARM_UP + 1, SAVES);
  expect((await settled(served)).toSorted()).toEqual(processes.toSorted());
  // What was only garbage is given back when the programs have been idle for a while; what leaks is not.
  const ratio = await eventually("less than a tenth more memory", () => {
    const now = residentBytes(served) / before;
    return now < 1.1 ? now : undefined;
  });
  expect(ratio).toBeLessThan(1.1);
  expect(served.reloads("saved")).toBe(SAVES);
});
