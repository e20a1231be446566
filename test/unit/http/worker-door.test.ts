/** The door for workers that are started here: what it lets through, where it listens, and when it closes. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isWorkerOperation, WorkerDoor } from "../../../emulator/http/worker-door.ts";
import { OPERATIONS } from "../../../emulator/http/operations.ts";
import { routesOf } from "../../../emulator/http/operation.ts";
import { createTestEngine } from "../engine-harness.ts";
import { KEY, testKeys } from "./http-harness.ts";

const HOST = "127.0.0.1";
const OF_WORKERS = [
  "/live/v2/e/job-take/w?gpu=&job_in_progress=0",
  "/live/v2/e/job-take-batch/w?gpu=&batch_size=4&job_in_progress=0",
  "/live/v2/e/job-stop/w?gpu=",
  "/live/v2/e/job-done/w/j?gpu=&isStream=false",
  "/live/v2/e/job-stream/w/j?gpu=&isStream=false",
  "/live/v2/e/ping/w?job_id=j",
];
const OF_OTHERS = [
  "/",
  "/live",
  "/live/v2/e/run",
  "/live/v2/e/status/j",
  "/live/v2/e/job-take",
  "/live/v2/e/job-take/",
  "/live/v2/e/f/job-take/w",
  "/live/v2//job-take/w",
  "/live/v1/endpoints",
  "/v2/e/job-take/w",
  "/v1/endpoints?x=/live/v2/e/job-take/w",
  "/v1/endpoints#/live/v2/e/job-take/w",
  "//live/v2/e/job-take/w",
  "http://127.0.0.1/live/v2/e/job-take/w",
];

describe("what is an operation of workers", () => {
  it.each(OF_WORKERS)("%s is one", (url) => {
    expect(isWorkerOperation(url)).toBe(true);
  });

  it.each(OF_OTHERS)("%s is none", (url) => {
    expect(isWorkerOperation(url)).toBe(false);
  });

  it("no operation of clients or of the management interface is, whatever its parameters are", () => {
    const names = Object.keys(OPERATIONS).filter((name) => !/^job-|^ping$/u.test(name));
    const paths = names.flatMap((name) => {
      const operation = OPERATIONS[name];
      return operation === undefined ? [] : routesOf(operation).map(({ path }) => path);
    });
    const parameter = fc.string({ minLength: 1 }).map((text) => encodeURIComponent(text));
    fc.assert(
      fc.property(fc.constantFrom(...paths), parameter, (path, value) => {
        const url = `/live${path.replaceAll(/:\w+/gu, value)}`;
        expect(isWorkerOperation(url)).toBe(false);
      }),
    );
  });
});

describe("a door", () => {
  let door: WorkerDoor;

  beforeEach(async () => {
    const { engine } = await createTestEngine();
    door = new WorkerDoor({ engine, keys: testKeys(), webhookSecret: "", log: engine.log });
  });
  afterEach(async () => door.stop());

  it("leads to nothing else, with a good key neither", async () => {
    const url = await door.openAt({ host: HOST, port: 0 });
    const headers = { authorization: `Bearer ${KEY}` };
    for (const path of ["/v1/endpoints", "/v2/e/run", "/openapi.json", "/emulator/clock"]) {
      const answer = await fetch(url + path, { headers });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "not_found" });
    }
  });

  it("takes another port where the wished one is taken, and has several addresses", async () => {
    const first = await door.openAt({ host: HOST, port: 0 });
    const port = Number(new URL(first).port);
    const second = await door.openAt({ host: HOST, port });
    expect(new URL(second).port).not.toBe(String(port));
    const third = await door.openAt({ host: "127.0.0.2", port });
    expect(third).toBe(`http://127.0.0.2:${port}`);
    for (const url of [first, second, third]) expect((await fetch(url)).status).toBe(404);
  });

  it("is closed at all its addresses when it is stopped, and does not open again", async () => {
    const urls = [
      await door.openAt({ host: HOST, port: 0 }),
      await door.openAt({ host: HOST, port: 0 }),
    ];
    await Promise.all([door.stop(), door.stop()]);
    for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");
    await expect(door.openAt({ host: HOST, port: 0 })).rejects.toThrow("stopping");
  });

  it("can be stopped without having been opened", async () => {
    await expect(door.stop()).resolves.toBeUndefined();
  });
});
