/** Saves that the system does not report to the built `sv-emulate`, on real file systems and under real limits. */
import { execFileSync, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { whatIsMissing } from "../../setup/debian-program.ts";
import { type TemporaryTree, temporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "../cli/call.ts";

const returning = (value: number) => `export default () => ${value};`;

/** Saves in `real`, what the emulator serves from `seen`, until a job runs the new code. */
async function expectReload(emulator: EmulatorProcess, file: string): Promise<void> {
  const output = async () => (await call(emulator, "h/runsync", { input: {} }))["output"];
  expect(await output()).toBe(1);
  await writeFile(file, returning(2));
  await expect.poll(output).toBe(2);
}

function tree(): Promise<TemporaryTree> {
  return temporaryTree({ "real/h/handler.js": returning(1), "seen/": "" });
}

describe.skipIf(whatIsMissing("tests on a FUSE file system", ["bindfs"]) !== undefined)(
  "bindfs",
  () => {
    test("a save behind the mounted directory is noticed, and the log says that files are polled", async () => {
      await using at = await tree();
      execFileSync("bindfs", [at.path("real"), at.path("seen")]);
      try {
        await using emulator = await startEmulatorProcess({ args: ["seen/h"], cwd: at.root });
        await emulator.stderrMatch(/seen\/h is on a file system \(FUSE.*polled/u);
        await expectReload(emulator, at.path("real/h/handler.js"));
        await emulator.stop();
      } finally {
        execFileSync("umount", [at.path("seen")]);
      }
    });
  },
);

/** Runs a command where the system lets it watch no file. */
const WATCHES_NOTHING = [
  ...["unshare", "--user", "--map-root-user", "sh", "-c"],
  ...['echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh"],
];
const [program, ...args] = [...WATCHES_NOTHING, "true"];

test.skipIf(spawnSync(program, args).status !== 0)(
  "where no more files can be watched, a line names the limit, and saves are noticed",
  async () => {
    await using at = await tree();
    const options = { args: ["real/h"], cwd: at.root, under: WATCHES_NOTHING };
    await using emulator = await startEmulatorProcess(options);
    await emulator.stderrMatch(/is polled.*raise fs\.inotify\.max_user_watches/u);
    await expectReload(emulator, at.path("real/h/handler.js"));
    expect(emulator.stderrLines.filter((line) => line.includes("inotify"))).toHaveLength(1);
  },
);

test("--poll notices saves, too", async () => {
  await using at = await tree();
  await using emulator = await startEmulatorProcess({ args: ["real/h", "--poll"], cwd: at.root });
  await expectReload(emulator, at.path("real/h/handler.js"));
});

const WRITES = `import fs from "node:fs";
  import data from "./data.json" with { type: "json" };
  export const setup = () => fs.writeFileSync(new URL("data.json", import.meta.url), TEXT);
  export default () => data;`;

test("a handler that writes what it imports is loaded again once, and with other contents each time three times", async () => {
  await using at = await temporaryTree({
    "same/handler.js": WRITES.replace("TEXT", `'{"a":1}'`),
    "same/data.json": "{}",
    "other/handler.js": WRITES.replace("TEXT", "JSON.stringify({ at: process.hrtime().join() })"),
    "other/data.json": "{}",
  });
  await using emulator = await startEmulatorProcess({ args: ["."], cwd: at.root });
  await emulator.stderrMatch(/other\/data\.json changes with each new version/u);
  const { version } = await endpoint(emulator, "same");
  expect(version).toBeLessThanOrEqual(2);
  await writeFile(at.path("other/handler.js"), "export default () => 3;");
  await expect
    .poll(async () => (await call(emulator, "other/runsync", { input: {} }))["output"])
    .toBe(3);
});

async function endpoint(
  { url, apiKey }: EmulatorProcess,
  id: string,
): Promise<{ version: number }> {
  const headers = { authorization: `Bearer ${apiKey}` };
  return (await fetch(`${url}/v1/endpoints/${id}`, { headers })).json() as Promise<{
    version: number;
  }>;
}
