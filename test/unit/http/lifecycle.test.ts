/** Start and stop of the HTTP server: its address, failures, and waiting clients. */
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { KeyRing } from "../../../emulator/core/access/key-ring.ts";
import { createHttpServer, ListenError, PortInUseError } from "../../../emulator/http/server.ts";
import { createTestEngine } from "../engine-harness.ts";
import { KEY, startTestHttp, testCallers, type TestHttp } from "./http-harness.ts";
import { TextReader } from "./operation/answers/text-reader.ts";

/** A timeout that no test reaches. */
const NEVER_MS = 3_600_000;

async function unstarted() {
  const { engine } = await createTestEngine();
  return createHttpServer({
    engine,
    callers: testCallers(),
    keys: new KeyRing([], engine.clock),
    webhookSecret: "",
    log: engine.log,
  });
}

/** Resolves when a request waits for news of the job. */
async function watched(service: TestHttp, jobId: string): Promise<void> {
  while (!service.test.engine.watchers.isWatched(jobId)) await service.test.clock.settle();
}

it("the server can be stopped before its start, twice, and cannot be started afterwards", async () => {
  const http = await unstarted();
  await Promise.all([http.stop(), http.stop()]);
  await http.stop();
  await expect(http.start({ host: "127.0.0.1", port: 0 })).rejects.toThrow("once only");
});

it("the server can be stopped during its start", async () => {
  const http = await unstarted();
  const started = http.start({ host: "127.0.0.1", port: 0 });
  await http.stop();
  const url = await started;
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

it("the server reports its port, and a URL that also works for IPv6", async () => {
  const http = await unstarted();
  expect(await http.start({ host: "127.0.0.1", port: 0 })).toMatch(
    /^http:\/\/127\.0\.0\.1:[1-9]\d+$/,
  );
  await http.stop();
  const other = await unstarted();
  const started = await other.start({ host: "::1", port: 0 }).catch((error: unknown) => error);
  // A machine without IPv6 reports that this is none of its addresses.
  if (started instanceof ListenError) expect(started.reason).toBe("bad-host");
  else expect(started).toMatch(/^http:\/\/\[::1\]:[1-9]\d+$/);
  await other.stop();
});

it("a start fails with a clear message if another program has the port", async () => {
  const occupant = createServer().listen(0, "127.0.0.1");
  await once(occupant, "listening");
  const address = occupant.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const http = await unstarted();
  const refusal = await http.start({ host: "127.0.0.1", port }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(PortInUseError);
  expect(refusal).toMatchObject({
    reason: "port-in-use",
    message: `port ${port} on 127.0.0.1 is in use by another program`,
  });
  await http.stop();
  occupant.close();
});

it.each([
  ["192.0.2.1", 0, "bad-host", "192.0.2.1 is no address of this machine"],
  ["no-such-host.invalid", 0, "bad-host", "no-such-host.invalid is no address of this machine"],
  ["127.0.0.1", 70_000, "failed", "70000 is no port; it must be from 0 to 65535"],
])(
  "a start that cannot listen at %s:%d fails with the reason",
  async (host, port, reason, message) => {
    const http = await unstarted();
    const refusal = await http.start({ host, port }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ListenError);
    expect(refusal).toMatchObject({ reason, message });
    await http.stop();
  },
);

it("a stop answers waiting clients at once with the known state, and closes all connections", async () => {
  await using service = await startTestHttp({ stopGraceMs: NEVER_MS });
  const worker = await service.test.connectWorker();
  const runsync = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  const { jobId } = await worker.nextJob();
  const { clock } = service.test;
  await clock.settle();
  const armed = clock.armed;
  const statusSync = service.call("GET", `/v2/echo/status-sync/${jobId}`);
  const batch = service.call("GET", `/v2/echo/stream/${jobId}`);
  const accept = "text/event-stream";
  const events = new TextReader((await service.open(`/v2/echo/stream/${jobId}`, { accept })).body);
  // Each of the three has the maximum wait.
  while (clock.armed < armed + 3) await clock.settle();
  await service.http.stop();
  expect((await runsync).json).toStrictEqual({ id: jobId, status: "IN_PROGRESS" });
  expect((await runsync).headers["connection"]).toBe("close");
  expect((await statusSync).json).toMatchObject({ id: jobId, status: "IN_PROGRESS" });
  expect((await batch).json).toStrictEqual([]);
  expect(await events.rest()).toBe("");
});

it("a stop lets a submission in flight end, and refuses requests that begin later", async () => {
  await using service = await startTestHttp({ stopGraceMs: NEVER_MS });
  const head = `host: x\r\nauthorization: ${KEY}\r\n`;
  const body = '{"input":{}}';
  const submitting = await service.socket(
    `POST /v2/echo/run HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  const asking = await service.socket(`GET /v2/echo/health HTTP/1.1\r\n${head}`);
  await service.test.clock.settle();
  const stopped = service.http.stop();
  submitting.write(body.slice(5));
  asking.write("\r\n");
  expect(await new TextReader(submitting).rest()).toMatch(
    /^HTTP\/1\.1 200 [^]*connection: close[^]*IN_QUEUE/i,
  );
  expect(await new TextReader(asking).rest()).toMatch(
    /^HTTP\/1\.1 503 [^]*connection: close[^]*shutting_down/i,
  );
  await stopped;
  const { inQueue } = await service.test.engine.steps.counts("echo");
  expect(inQueue).toBe(1);
});

it("a stop cuts off requests that do not end within the grace time", async () => {
  await using service = await startTestHttp({ stopGraceMs: 20 });
  const stuck = await service.socket(
    `POST /v2/echo/run HTTP/1.1\r\nhost: x\r\nauthorization: ${KEY}\r\ncontent-length: 9\r\n\r\n`,
  );
  stuck.on("error", () => undefined);
  const closed = once(stuck, "close");
  await service.test.clock.settle();
  await service.http.stop();
  expect(await closed).toHaveLength(1);
});

it("a stop ends the stream of a reader that has stopped reading", async () => {
  await using service = await startTestHttp({ stopGraceMs: 20 });
  const worker = await service.test.connectWorker();
  await service.run();
  const job = await worker.nextJob();
  const reader = await service.socket(
    `GET /v2/echo/stream/${job.jobId} HTTP/1.1\r\nhost: x\r\nauthorization: ${KEY}\r\naccept: text/event-stream\r\n\r\n`,
  );
  await watched(service, job.jobId);
  const outputs = Array.from({ length: 30 }, () => "x".repeat(900_000));
  for (const [index, output] of outputs.entries()) await worker.chunks(job, [output], index);
  await service.http.stop();
  expect(service.test.engine.watchers.isWatched(job.jobId)).toBe(false);
  reader.destroy();
});
