/** Additional listeners for workers of the live dialect: operations, addresses, and closing. */
import { request } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHttpServer } from "../../../../emulator/http/server.ts";
import { OPERATIONS } from "../../../../emulator/http/operations.ts";
import { routesOf } from "../../../../emulator/http/operation/operation.ts";
import { WorkerListeners } from "../../../../emulator/http/live-workers/worker-listeners.ts";
import { LiveWorkers } from "../../../../emulator/live/live-workers.ts";
import { sessionsOn } from "../../../../emulator/engine/workers/session/worker-session.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { KEY, testCallers, testKeys, WEBHOOK_SECRET } from "../http-harness.ts";

const HOST = "127.0.0.1";
const ANY = { host: HOST, port: 0 };

let doors: WorkerListeners;

beforeEach(async () => {
  const { engine } = await createTestEngine();
  const http = createHttpServer({
    engine,
    callers: testCallers(),
    keys: testKeys(engine),
    webhookSecret: WEBHOOK_SECRET,
    log: engine.log,
    liveWorkers: new LiveWorkers(engine, sessionsOn(engine)),
  });
  doors = new WorkerListeners(http.forWorkers, engine.log);
});
afterEach(async () => doors.close());

describe("a worker listener", () => {
  it("rejects unknown host names and requests from web pages", async () => {
    const url = new URL(await doors.openAt({ host: "127.0.0.2", port: 0 }));
    const ask = async (headers: Record<string, string>) => {
      const path = `${url.origin}/live/v2/e/ping/w?job_id=j`;
      return (await request(path, { headers })).statusCode;
    };
    // 401: the operation exists and requires a key.
    expect(await ask({})).toBe(401);
    expect(await ask({ host: `host.docker.internal:${url.port}` })).toBe(401);
    expect(await ask({ host: `rebound.test:${url.port}` })).toBe(421);
    expect(await ask({ origin: "http://page.test" })).toBe(403);
  });

  it.each([
    ["GET", "/job-take/w?gpu=&job_in_progress=0"],
    ["GET", "/job-take-batch/w?gpu=&batch_size=4&job_in_progress=0"],
    ["GET", "/job-stop/w?gpu="],
    ["POST", "/job-done/w/j?gpu=&isStream=false"],
    ["POST", "/job-stream/w/j?gpu=&isStream=false"],
    ["GET", "/ping/w?job_id=j"],
  ])("serves %s %s", async (method, path) => {
    const url = await doors.openAt(ANY);
    const answer = await fetch(`${url}/live/v2/e${path}`, { method: "PUT" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, method]);
  });

  it("serves no other operation, even with a valid key", async () => {
    const url = await doors.openAt(ANY);
    const headers = { authorization: `Bearer ${KEY}` };
    const all = Object.values(OPERATIONS).flatMap((operation) => routesOf(operation));
    const paths = all.flatMap(({ path, methods }) =>
      methods.map((method) => [method, path.replaceAll(/:\w+|\*/gu, "x")] as const),
    );
    expect(paths.length).toBeGreaterThan(50);
    for (const [method, path] of paths) {
      for (const base of ["", "/live"]) {
        const answer = await fetch(`${url}${base}${path}`, { method, headers });
        expect([answer.status, method, path]).toEqual([404, method, path]);
      }
    }
  });
});

it("can be one of several, each on the requested port if that is free", async () => {
  const first = await doors.openAt(ANY);
  const port = Number(new URL(first).port);
  const second = await doors.openAt({ host: HOST, port });
  expect(new URL(second).port).not.toBe(String(port));
  expect(await doors.openAt({ host: "127.0.0.2", port })).toBe(`http://127.0.0.2:${port}`);
  for (const url of [first, second]) expect((await fetch(url)).status).toBe(404);
});

it("is closed with all others, and none can be opened afterwards", async () => {
  const urls = [await doors.openAt(ANY), await doors.openAt(ANY)];
  await Promise.all([doors.close(), doors.close()]);
  for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");
  await expect(doors.openAt(ANY)).rejects.toThrow("stopping");
});
