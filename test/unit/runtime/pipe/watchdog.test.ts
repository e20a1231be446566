/** What is left of a killed process is ended, and nothing else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

type Pids = Readonly<Record<"running" | "unwatched" | "another", number>>;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a kill ends the watched processes; one that is no longer watched lives, and one with the number of an ended process", async () => {
  const program = path.resolve(import.meta.dirname, "../../../fixtures/watching-program.ts");
  const watching = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(watching.stdout, "data")) as [Buffer];
  const { running, unwatched, another } = JSON.parse(line.toString()) as Pids;
  try {
    watching.kill("SIGKILL");
    // The processes are not children of the test, so it looks until the end of this one shows.
    while (isRunning(running)) await new Promise((look) => setImmediate(look));
    expect([unwatched, another].map(isRunning)).toEqual([true, true]);
  } finally {
    for (const pid of [running, unwatched, another]) if (isRunning(pid)) process.kill(pid);
  }
});

test("without descriptors a handler process fails alone, and the watchdog starts when there are some", async () => {
  const program = path.resolve(import.meta.dirname, "../../../fixtures/without-descriptors.ts");
  const limited = ["-c", 'ulimit -n 64; exec "$0" "$1"', process.execPath, program];
  const tried = spawn("/bin/sh", limited, { stdio: ["ignore", "pipe", "ignore"] });
  expect(JSON.parse(await text(tried.stdout))).toEqual({ startError: "EMFILE", shells: 1 });
});
