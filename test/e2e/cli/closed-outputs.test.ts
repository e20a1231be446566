/** The built programs while the reader of their output is gone, or the disk of their log is full. */
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { program } from "../emulator-process.ts";
import { call } from "./call.ts";

const SAYS = "export default (job) => { console.log('said'); return job.input; };";
const worker = path.resolve(program, "../../../runtime/sv-worker.cjs");

test.each([
  ["whose reader of both outputs took one line", '"$@" 2>&1 | head -1'],
  ["whose reader of the log took one line", '"$@" 2>&1 >/dev/null | head -1'],
  ["without outputs", 'exec "$@" >&- 2>&-'],
  ["on a full disk", 'exec "$@" >/dev/full 2>&1'],
])("an emulator %s serves", async (_, shell) => {
  await using tree = await temporaryTree({ "says.js": SAYS });
  const port = String(await freePort());
  const args = [process.execPath, program, "--ephemeral", "--port", port, "says.js"];
  const child = spawn("sh", ["-c", shell, "sh", ...args], {
    cwd: tree.root,
    detached: true,
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, SV_API_KEY: "key" },
  });
  try {
    const emulator = { url: `http://127.0.0.1:${port}`, apiKey: "key" };
    const isReady = () =>
      fetch(`${emulator.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isReady).toBe(true);
    // Each job writes lines that nobody reads.
    for (let n = 0; n < 5; n++)
      expect(await call(emulator, "says/runsync", { input: { n } })).toMatchObject({
        output: { n },
      });
    expect(await isReady()).toBe(true);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }
});

test.each([
  ["whose log has no reader", '"$@" 2>&1 >result | true; cat result'],
  ["whose log has no room", '"$@" 2>/dev/full'],
])("a worker %s has the result of its job", async (_, shell) => {
  await using tree = await temporaryTree({ "says.js": SAYS });
  const args = [process.execPath, worker, "run", "says.js", "--input", '{"n":1}'];
  const options = { cwd: tree.root, encoding: "utf8" } as const;
  const { stdout } = spawnSync("sh", ["-c", shell, "sh", ...args], options);
  expect(stdout).toBe('{"n":1}\n');
});
