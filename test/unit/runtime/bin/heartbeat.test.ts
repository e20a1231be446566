/** The heartbeat of a worker: a file that is created at once and touched while the event loop turns. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startHeartbeat } from "../../../../runtime/bin/heartbeat.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";

const BEAT_MS = 5;
const silent = { write: () => undefined };

/** Resolves with the next change of the file. */
async function nextBeat(file: string): Promise<number> {
  const { mtimeMs } = await fs.promises.stat(file);
  for (;;) {
    await new Promise((look) => setImmediate(look));
    const now = (await fs.promises.stat(file)).mtimeMs;
    if (now !== mtimeMs) return now;
  }
}

test("the heartbeat file is created, then touched again and again", async () => {
  using temporary = temporaryDirectory();
  const file = path.join(temporary.path, "alive");
  const stop = startHeartbeat(file, silent, BEAT_MS);
  while (!fs.existsSync(file)) await new Promise((look) => setImmediate(look));
  const first = await nextBeat(file);
  expect(await nextBeat(file)).toBeGreaterThan(first);
  stop();
});

test("a heartbeat file that cannot be written is logged once, without other effects", async () => {
  using temporary = temporaryDirectory();
  const lines: string[] = [];
  const said = Promise.withResolvers<void>();
  const log = {
    write: (_level: string, msg: string) => {
      lines.push(msg);
      said.resolve();
    },
  };
  const file = path.join(temporary.path, "missing/alive");
  const stop = startHeartbeat(file, log, BEAT_MS);
  await said.promise;
  // Later beats log nothing more.
  const other = path.join(temporary.path, "alive");
  const stopOther = startHeartbeat(other, silent, BEAT_MS);
  while (!fs.existsSync(other)) await new Promise((look) => setImmediate(look));
  await nextBeat(other);
  await nextBeat(other);
  stop();
  stopOther();
  expect(lines).toEqual([expect.stringContaining("the heartbeat file cannot be written: ENOENT")]);
});
