/** `sv-emulate ready` against a service in this process. */
import { createServer } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeCertificate } from "../../../setup/certificates.ts";
import { startTestHttp, type TestHttp } from "../../http/http-harness.ts";
import { json, run } from "./run-command.ts";

let service: TestHttp;
beforeEach(async () => (service = await startTestHttp()));
afterEach(async () => service[Symbol.asyncDispose]());

it("ready reports a ready service, without a key", async () => {
  expect(await run(service, "ready", undefined, { key: "" })).toBe("ready\n");
  expect(JSON.parse(await run(service, "ready", undefined, { flags: json }))).toEqual({
    ready: true,
  });
});

it("ready names what is missing", async () => {
  service.test.engine.readiness.storeAway(true);
  await expect(run(service, "ready")).rejects.toMatchObject({
    name: "RefusedError",
    message: "not ready: the store is missing",
  });
});

it("ready waits for the given time", async () => {
  const { readiness } = service.test.engine;
  readiness.storeAway(true);
  await expect(run(service, "ready", undefined, { flags: { wait: "10ms" } })).rejects.toThrow(
    "not ready",
  );
  const waiting = run(service, "ready", undefined, { flags: { wait: "30s" } });
  readiness.storeAway(false);
  expect(await waiting).toBe("ready\n");
  await expect(run(service, "ready", undefined, { flags: { wait: "soon" } })).rejects.toThrow(
    "--wait must be a duration like 30s or 2m",
  );
});

it("ready stops waiting when it is interrupted", async () => {
  service.test.engine.readiness.storeAway(true);
  const stopped = new AbortController();
  const options = { flags: { wait: "1h" }, signal: stopped.signal };
  const waiting = run(service, "ready", undefined, options);
  stopped.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

it("ready accepts any certificate and sends no key, and the other commands say what to do", async () => {
  const keys: unknown[] = [];
  const server = createServer(makeCertificate(), ({ headers }, response) => {
    keys.push(headers.authorization);
    response.end('{"ready":true}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await run({ url }, "ready")).toBe("ready\n");
  await expect(run({ url }, "jobs")).rejects.toMatchObject({
    name: "UnreachableError",
    message: expect.stringContaining("NODE_EXTRA_CA_CERTS names a file with its authority"),
  });
  expect(keys).toEqual([undefined]);
  server.closeAllConnections();
  server.close();
});
