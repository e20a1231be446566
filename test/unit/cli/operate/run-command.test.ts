/** The commands for a running emulator, against a service in this process. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startTestHttp } from "../../http/http-harness.ts";
import { json, run, submit } from "./run-command.ts";

test("endpoints and workers are listed", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  await service.test.connectWorker();
  await submit(service, "other");
  const endpoints = (await run(service, "endpoints")).split("\n");
  expect(endpoints[0]).toMatch(
    /^ENDPOINT +TYPE +VERSION +QUEUED +RUNNING +COMPLETED +FAILED +WORKERS +OF AT MOST$/,
  );
  expect(endpoints[2]).toMatch(/^other +QUEUE +1 +1 +0 +0 +0 +0 +10$/);
  expect(JSON.parse(await run(service, "endpoints", undefined, { flags: json }))).toMatchObject([
    { id: "echo", workers: { idle: 1 } },
    { id: "other", jobs: { inQueue: 1 } },
  ]);
  expect(await run(service, "workers", "echo")).toMatch(/^WORKER .*\n\S+ +echo +RUNNING .*\n$/);
  expect(await run(service, "workers", "other", { flags: json })).toBe("[]\n");
  await expect(run(service, "workers", "nope")).rejects.toThrow(`there is no endpoint "nope"`);
});

test("jobs are listed, shown, cancelled and retried", async () => {
  await using service = await startTestHttp();
  const first = await submit(service);
  const second = await submit(service);
  const worker = await service.test.connectWorker();
  await worker.fail(await worker.nextJob(), { message: "it broke\nbadly" });
  const lines = (await run(service, "jobs", "echo")).split("\n");
  expect(lines[1]).toMatch(new RegExp(`^${second} +echo +IN_QUEUE `));
  expect(lines[2]).toMatch(new RegExp(`^${first} +echo +FAILED .* it broke$`));
  const failed = await run(service, "jobs", undefined, {
    flags: { ...json, status: "FAILED", limit: "5" },
  });
  expect(JSON.parse(failed)).toMatchObject([{ id: first }]);
  expect(await run(service, "job", first)).toContain("message  it broke");
  const whole: unknown = JSON.parse(await run(service, "job", first, { flags: json }));
  expect(whole).toMatchObject({ id: first, input: { n: 1 } });
  expect(await run(service, "cancel", second)).toBe(`${second} CANCELLED\n`);
  expect(await run(service, "retry", first, { flags: json })).toBe(
    `{"id":"${first}","status":"IN_QUEUE"}\n`,
  );
  await expect(run(service, "retry", second)).rejects.toMatchObject({
    name: "RefusedError",
    message: expect.stringContaining("is CANCELLED"),
  });
  await expect(run(service, "job", "nope")).rejects.toThrow(`there is no job "nope"`);
});

test("a failed and a waiting job are explained in one paragraph", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const id = await submit(service);
  const waiting = await submit(service);
  await worker.fail(await worker.nextJob(), { message: "it broke\nbadly" });
  expect(await run(service, "why", id)).toMatch(
    new RegExp(`^Job ${id} of "echo" failed after .* with version 1\\. It broke\\.\\n$`),
  );
  expect(await run(service, "why", waiting)).toContain(`Job ${waiting} of "echo" has been waiting`);
  expect(JSON.parse(await run(service, "why", id, { flags: json }))).toMatchObject({
    ...{ id, status: "FAILED" },
    why: expect.stringContaining("It broke."),
  });
  await expect(run(service, "why", "nope")).rejects.toThrow(`there is no job "nope"`);
});

test("a purge asks for confirmation, and is refused without a person to ask", async () => {
  await using service = await startTestHttp();
  await submit(service);
  await expect(run(service, "purge", "echo")).rejects.toMatchObject({ name: "UsageError" });
  expect(await run(service, "purge", "echo", { answer: false })).toBe("nothing was removed\n");
  expect(await run(service, "purge", "echo", { answer: true })).toBe("1 jobs removed\n");
  await submit(service);
  const purged = await run(service, "purge", "echo", { flags: { ...json, yes: true } });
  expect(JSON.parse(purged)).toMatchObject({ removed: 1 });
});

test("the log is shown as text or JSON, and followed until it is interrupted", async () => {
  await using service = await startTestHttp();
  const say = (line: string) =>
    service.test.engine.logs.workerLine({ endpointId: "echo", workerId: "w1", line });
  say(
    JSON.stringify({
      time: 0,
      level: "warn",
      msg: "odd",
      jobId: "j1",
      stream: "stderr",
      fields: { n: 1 },
    }),
  );
  expect(await run(service, "logs")).toMatch(/^[\d:.]+ echo j1 \| warn odd n=1\n$/);
  const line: unknown = JSON.parse(
    await run(service, "logs", "echo", { flags: { ...json, tail: "1" } }),
  );
  expect(line).toMatchObject({ level: "warn", msg: "odd", source: "handler", jobId: "j1", n: 1 });
  const stop = new AbortController();
  const seen: string[] = [];
  const following = run(service, "logs", undefined, {
    flags: { follow: true },
    signal: stop.signal,
    out: (text) => {
      seen.push(text);
      if (seen.length === 1) say("and on");
      else stop.abort();
    },
  });
  await expect(following).rejects.toMatchObject({ name: "AbortError" });
  expect(seen[1]).toMatch(/ echo worker w1: and on\n$/);
});

test("the messages for a wrong key, a wrong address and the answer of another program say what to do", async () => {
  await using service = await startTestHttp();
  await expect(run(service, "jobs", undefined, { key: "wrong" })).rejects.toMatchObject({
    name: "RefusedError",
    message: expect.stringContaining("SV_API_KEY must be its API key"),
  });
  await expect(run(service, "jobs", undefined, { key: "" })).rejects.toThrow(
    "put it into SV_API_KEY",
  );
  await expect(run({ url: "ftp://x" }, "jobs")).rejects.toMatchObject({ name: "UsageError" });
  const stranger = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  await expect(run({ url }, "jobs")).rejects.toMatchObject({
    name: "UnreachableError",
    message: expect.stringContaining("is not an emulator"),
  });
  stranger.closeAllConnections();
  stranger.close();
  await once(stranger, "close");
  await expect(run({ url }, "jobs")).rejects.toMatchObject({
    name: "UnreachableError",
    message: expect.stringContaining("nothing listens there. Start one with sv-emulate"),
  });
});
