/** The processes of the first worker start before its endpoint is known; it cannot be told from another one. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { system } from "../../../runtime/system/system.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { runEmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";

/** Says everything that a handler can know of its process. `isAhead`: the process has started without its variables. */
const SAYS = `
  import fs from "node:fs";
  export default (job, { volumePath }) => {
    console.log("the secret is " + process.env.SV_S3_SECRET_ACCESS_KEY);
    const { env, execArgv, execPath, argv } = process;
    const isAhead = !fs.readFileSync("/proc/self/environ", "latin1").includes("SV_WORKER_ID=");
    const ids = [process.getuid(), process.getgid(), process.umask(), process.cwd()];
    return { isAhead, seen: { env, execArgv, execPath, argv, ids, volumePath } };
  };
`;

interface Output {
  readonly isAhead: boolean;
  readonly seen: { readonly env: Readonly<Record<string, string>> };
}

let marks = 0;

/** A variable of the emulator and all that it starts, and its processes that run. */
function mark() {
  const value = `${process.pid}-${marks++}`;
  return { env: { TEST_MARK: value }, running: () => system().marked(`TEST_MARK=${value}`) };
}

test("a handler in a process that was started ahead sees what one in another process sees", async () => {
  await using tree = await temporaryTree({ "a.mjs": SAYS, "b.mjs": SAYS });
  const { env, running } = mark();
  await using emulator = await startEmulatorProcess({
    args: ["a.mjs", "b.mjs"],
    cwd: tree.root,
    env,
  });
  const outputs = await Promise.all(
    ["a", "b"].map(async (id) => {
      const { output } = await call(emulator, `${id}/runsync`, { input: {} });
      return output as Output;
    }),
  );
  expect(outputs.filter(({ isAhead }) => isAhead)).toHaveLength(1);
  const seen = outputs.map((output) => {
    const { SV_WORKER_ID, SV_ENDPOINT_ID, SV_HANDLER, ...rest } = output.seen.env;
    const { SV_HANDLER_PROCESS, SV_SUPERVISOR_PROCESS, ...bucket } = rest;
    const { SV_S3_BUCKET, SV_S3_ACCESS_KEY_ID, SV_S3_SECRET_ACCESS_KEY, ...same } = bucket;
    const ids = [SV_WORKER_ID, SV_ENDPOINT_ID, SV_HANDLER, SV_HANDLER_PROCESS];
    for (const own of [...ids, SV_SUPERVISOR_PROCESS, SV_S3_BUCKET, SV_S3_SECRET_ACCESS_KEY])
      expect(own).toBeTypeOf("string");
    expect(SV_S3_ACCESS_KEY_ID).toBe(`SV-${SV_S3_BUCKET}`);
    return { ...output.seen, env: same };
  });
  expect(seen[0]).toEqual(seen[1]);
  for (const id of ["a", "b"])
    await emulator.stderrMatch(
      new RegExp(`"the secret is \\[secret\\]".*"endpointId":"${id}"`, "u"),
    );
  expect(await emulator.stop()).toEqual({ code: 0, signal: null });
  expect(running()).toEqual([]);
});

test("a service that needs no worker leaves no process behind when SIGINT stops it, or it is killed", async () => {
  await using tree = await temporaryTree({
    "a.mjs": SAYS,
    "sv.config.json": JSON.stringify({ endpoints: { a: { handler: "a.mjs", workersMin: 0 } } }),
  });
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const { env, running } = mark();
    await using emulator = await startEmulatorProcess({ cwd: tree.root, env });
    await expect.poll(() => running().length).toBeGreaterThan(2);
    emulator.child.kill(signal);
    await emulator.exited;
    if (signal === "SIGINT") expect(running()).toEqual([]);
    await expect.poll(running).toEqual([]);
  }
});

test("a start that fails leaves no process behind", async () => {
  await using tree = await temporaryTree({ "a.mjs": SAYS });
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { env, running } = mark();
  const args = ["a.mjs", "--port", String(port)];
  expect((await runEmulatorProcess({ args, cwd: tree.root, env })).code).not.toBe(0);
  expect(running()).toEqual([]);
  other.close();
  await once(other, "close");
});
