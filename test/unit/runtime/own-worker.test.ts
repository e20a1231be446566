/** A worker started by a user's program talks to the service like `sv-worker`. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { startWorker } from "../../../runtime/index.ts";
import { startFrameService, TOKEN } from "../../contract/job-source/wire-service.ts";
import { DebuggerClient, freeAddress } from "../../debugger-client.ts";
import { LiveQueue } from "../../live-queue/live-queue.ts";
import { fixture, tracedProcesses } from "./worker-run.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Output to standard error, and a way to wait for a part of it. */
function listenToStderr(): { text(): string; until(part: string): Promise<void> } {
  let text = "";
  let look = (): void => {};
  vi.spyOn(process.stderr, "write").mockImplementation((piece) => {
    text += String(piece);
    look();
    return true;
  });
  const until = (part: string): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (text.includes(part)) resolve();
      };
      look();
    });
  return { text: () => text, until };
}

test("a worker takes jobs, drains, and leaves nothing behind", async () => {
  await using service = await startFrameService();
  const trace = randomUUID();
  const worker = await startWorker(pathToFileURL(fixture("echo")), {
    serviceAddress: service.address,
    workerToken: TOKEN,
    env: { SV_TEST_TRACE: trace },
  });
  const session = await service.nextSession();
  const ids = { workerId: "w", endpointId: "e" };
  session.send({ welcome: { ...ids, leaseMs: 15_000, leaseRenewalMs: 5_000 } });
  await session.until(({ credit }) => credit === 4);
  const lease = { jobId: "job-1", leaseToken: "token-1" };
  const input = Buffer.from('{"n":1}');
  session.send({ jobs: [{ ...lease, attempt: 1, input, executionTimeoutMs: 60_000 }] });
  await session.until((heard) => heard.all("outcomes").length === 1);
  const [outcome] = session.all("outcomes");
  expect(outcome).toMatchObject({ ...lease, outcome: { kind: "completed" } });
  session.send({ outcomeReceipts: [{ ...lease, accepted: true }] });
  worker.drain();
  expect(await worker.ended).toBe("drained");
  expect(tracedProcesses(trace)).toEqual([]);
});

test("a start without a service names the settings to set", async () => {
  await expect(startWorker(fixture("echo"), { workerToken: TOKEN })).rejects.toMatchObject({
    code: "missing_setting",
    message: "A worker needs the option serviceAddress, or the variable SV_SERVICE_ADDRESS.",
  });
});

test("a worker follows its standby and log level options", async () => {
  await using service = await startFrameService();
  const stderr = listenToStderr();
  const given = { serviceAddress: service.address, workerToken: TOKEN };
  const worker = await startWorker(fixture("echo"), {
    ...given,
    standby: "loaded",
    logLevel: "debug",
  });
  await stderr.until("a standby handler process is ready");
  worker.stop();
  await worker.ended;
  const before = stderr.text().length;
  const quiet = await startWorker(fixture("echo"), { ...given, logLevel: "warn" });
  quiet.drain();
  await quiet.ended;
  expect(stderr.text().slice(before)).toBe("");
});

test("a debugger can connect at the given port", async () => {
  await using service = await startFrameService();
  const stderr = listenToStderr();
  const inspect = await freeAddress();
  const worker = await startWorker(fixture("echo"), {
    serviceAddress: service.address,
    workerToken: TOKEN,
    inspect: inspect.replace("127.0.0.1:", ""),
  });
  await stderr.until("Debugger listening");
  await using debug = await DebuggerClient.attach(inspect);
  expect(await debug.evaluate("1 + 1")).toBe(2);
  worker.stop();
  expect(await worker.ended).toBe("stopped");
});

test.each([
  [{ inspect: "anywhere" }, /^inspect must be host:port or a port from 1 to 65535, not "anywhere"/],
  [{ standby: "always" }, 'standby must be one of none, idle, loaded, not "always".'],
  [{ logLevel: "all" }, 'logLevel must be one of debug, info, warn, error, not "all".'],
])("a start with %j is refused with the possible values", async (options, message) => {
  const service = { serviceAddress: "127.0.0.1:1", workerToken: TOKEN };
  // Options of a caller without a compiler.
  const given = { ...service, ...options } as Parameters<typeof startWorker>[1];
  await expect(startWorker(fixture("echo"), given)).rejects.toMatchObject({
    code: "bad_setting",
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });
});

test("a program whose worker has ended ends by itself", async () => {
  await using service = await startFrameService();
  const main = path.join(import.meta.dirname, "own-main.ts");
  const program = spawn(process.execPath, [main, fixture("echo")], {
    env: { ...process.env, SV_SERVICE_ADDRESS: service.address, SV_WORKER_TOKEN: TOKEN },
    stdio: "ignore",
  });
  const session = await service.nextSession();
  const ids = { workerId: "w", endpointId: "e" };
  session.send({ welcome: { ...ids, leaseMs: 15_000, leaseRenewalMs: 5_000 } });
  await session.until(({ credit }) => credit === 4);
  program.kill("SIGTERM");
  expect(await once(program, "exit")).toEqual([0, null]);
});

test("a worker in the environment of the live service takes its jobs from there", async () => {
  await using queue = await LiveQueue.start();
  for (const [name, value] of Object.entries(queue.environment())) vi.stubEnv(name, value);
  const trace = randomUUID();
  const worker = await startWorker(fixture("echo"), { env: { SV_TEST_TRACE: trace } });
  expect((await queue.done(queue.submit({ n: 1 }))).result).toEqual({ output: { n: 1 } });
  worker.drain();
  expect(await worker.ended).toBe("drained");
  vi.stubEnv("RUNPOD_WEBHOOK_POST_OUTPUT", "");
  await expect(startWorker(fixture("echo"))).rejects.toMatchObject({
    code: "bad_setting",
    message: "RUNPOD_WEBHOOK_POST_OUTPUT must be set where RUNPOD_WEBHOOK_GET_JOB is.",
  });
});
