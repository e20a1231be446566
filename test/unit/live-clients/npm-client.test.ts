/** The live service's own npm client, unchanged, with its base URL below `/live`: all its functions. */
import runpodSdk from "runpod-sdk";
import type { Emulator } from "sv-runtime/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startHandlers } from "./handlers.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";
// Timeout of most calls of the client, by default three seconds.
import { LOOK_MS } from "../../setup/patience.ts";

/** The client logs its progress with the function that exists when it is loaded. */
vi.hoisted(() => vi.spyOn(console, "log").mockReturnValue(undefined));

const playing = new Playing(PLAYS.npm);

const KEY = "test-key";

/** The gate of the handlers that wait. */
let gate = Promise.withResolvers<unknown>();

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startHandlers(KEY, () => gate.promise);
});

afterAll(async () => {
  gate.resolve("the end");
  await emulator.stop();
});

/** Requests of the client, as `METHOD path?query`. */
const sent: string[] = [];

beforeEach(() => {
  gate = Promise.withResolvers();
  sent.length = 0;
  const real = globalThis.fetch;
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : url);
    const method = init?.method ?? "GET";
    sent.push(`${method} ${pathname}${search}`);
    playing.note({ method, path: pathname.replace("/live", "") });
    return real(url, init);
  });
  return () => {
    spy.mockRestore();
    gate.resolve("over");
  };
});

function endpoint(id: string, key = KEY) {
  const found = runpodSdk(key, { baseUrl: `${emulator.url}/live/v2` }).endpoint(id);
  if (!found) throw new Error("the client knows no endpoint without an id");
  return found;
}

/** Waits for a request that begins with this text. */
const wasSent = (beginning: string) =>
  vi.waitFor(() => expect(sent.find((request) => request.startsWith(beginning))).toBeDefined(), {
    timeout: LOOK_MS,
  });

const run = async (id: string, input: unknown = {}) =>
  (await endpoint(id).run({ input }, LOOK_MS)).id;

/** Waits until a worker has the job. */
const isRunning = (endpointId: string, jobId: string) =>
  vi.waitFor(
    async () => {
      const { status } = await endpoint(endpointId).status(jobId, LOOK_MS);
      expect(status).toBe("IN_PROGRESS");
    },
    { timeout: LOOK_MS },
  );

describe("run and status", () => {
  test("return the id at once, and the output at the end", async () => {
    const { id, status } = await endpoint("echo").run({ input: { n: 1 } }, LOOK_MS);
    expect({ id, status }).toEqual({ id: expect.any(String) as string, status: "IN_QUEUE" });
    await emulator.idle();
    expect(await endpoint("echo").status(id, LOOK_MS)).toStrictEqual({
      id,
      status: "COMPLETED",
      output: { n: 1 },
      delayTime: expect.any(Number) as number,
      executionTime: expect.any(Number) as number,
      workerId: expect.any(String) as string,
      started: true,
      completed: true,
      succeeded: true,
    });
    expect(sent).toEqual(["POST /live/v2/echo/run", `GET /live/v2/echo/status/${id}`]);
  });

  test("accept every field of its types", async () => {
    const payload = {
      input: { n: 1 },
      webhook: "http://127.0.0.1:9/hook",
      webhookV2: "http://127.0.0.1:9/hook",
      s3Config: {
        accessId: "id",
        accessSecret: "secret",
        bucketName: "bucket",
        endpointUrl: "https://s3.example.com",
        objectPath: "a/b",
      },
      policy: { executionTimeout: 10_000, lowPriority: true, ttl: 60_000 },
    };
    const { id } = await endpoint("echo").run(payload, LOOK_MS);
    expect(id).toMatch(/-e1$/);
  });

  test("return the live service's error of a failed job: the exception in a text", async () => {
    const id = await run("broken");
    await emulator.idle();
    const ended: object & { error?: string } = await endpoint("broken").status(id, LOOK_MS);
    expect(ended).toMatchObject({ status: "FAILED", completed: true, succeeded: false });
    expect(JSON.parse(ended.error ?? "")).toMatchObject({
      error_type: "TypeError",
      error_message: "no such model",
      error_traceback: expect.stringContaining("handlers.ts") as string,
    });
  });
});

describe("runSync", () => {
  test("returns the output of a job that ends in time", async () => {
    const job = await endpoint("echo").runSync({ input: { n: 2 } });
    expect(job).toMatchObject({ status: "COMPLETED", output: { n: 2 }, succeeded: true });
    expect(job.id).toMatch(/^sync-/);
    expect(sent).toEqual(["POST /live/v2/echo/runsync?wait=90000"]);
  });

  test("continues with status-sync when a job takes longer than the wait", async () => {
    const job = endpoint("gated").runSync({ input: {} }, 300_000);
    await vi.waitFor(
      async () => {
        const running = await emulator.endpoint("gated").jobs({ status: "IN_PROGRESS" });
        expect(running).toHaveLength(1);
      },
      { timeout: LOOK_MS },
    );
    await emulator.clock.advance(90_000);
    await wasSent("GET /live/v2/gated/status-sync/sync-");
    gate.resolve("late");
    expect(await job).toMatchObject({ status: "COMPLETED", output: "late", succeeded: true });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatch(/\?wait=90000$/);
  });

  test("returns a failed job", async () => {
    const job = await endpoint("broken").runSync({ input: {} });
    expect(job).toMatchObject({ status: "FAILED", completed: true, succeeded: false });
  });

  test("returns without a result at its own timeout", async () => {
    const job = endpoint("gated").runSync({ input: {} }, 1);
    let isOver = false;
    const over = job.finally(() => (isOver = true));
    await vi.waitFor(
      async () => {
        await emulator.clock.advance(1_000);
        expect(isOver).toBe(true);
      },
      { timeout: LOOK_MS },
    );
    expect(await over).toMatchObject({ status: "IN_PROGRESS", started: true, completed: false });
    expect(sent).toEqual([
      "POST /live/v2/gated/runsync?wait=1000",
      expect.stringMatching(/^GET .*\/status-sync\/sync-.*\?wait=1000$/),
    ]);
  });
});

describe("statusSync", () => {
  test("returns as soon as the job has ended", async () => {
    const id = await run("gated");
    const job = endpoint("gated").statusSync(id, 90_000);
    await wasSent(`GET /live/v2/gated/status-sync/${id}?wait=90000`);
    gate.resolve({ done: true });
    expect(await job).toMatchObject({ status: "COMPLETED", output: { done: true } });
  });
});

describe("stream", () => {
  test("returns every chunk once and in order, while the job runs and after it", async () => {
    const id = await run("counts");
    const outputs: unknown[] = [];
    for await (const chunk of endpoint("counts").stream(id)) {
      outputs.push((chunk as { output: unknown }).output);
      if (outputs.length === 2) gate.resolve("go on");
    }
    expect(outputs).toEqual(["a", { b: 2 }, ["c"], "d"]);
    expect(new Set(sent.slice(1))).toEqual(new Set([`GET /live/v2/counts/stream/${id}`]));
  });

  test("returns the chunks of a failed job, and ends", async () => {
    const id = await run("breaks");
    await emulator.idle();
    const outputs = await Array.fromAsync(endpoint("breaks").stream(id));
    expect(outputs).toMatchObject([{ output: "a" }]);
  });

  test("ends without a chunk for a job without one", async () => {
    const id = await run("echo");
    await emulator.idle();
    expect(await Array.fromAsync(endpoint("echo").stream(id))).toEqual([]);
  });

  test("ends when the job is cancelled", async () => {
    const id = await run("counts");
    const outputs: unknown[] = [];
    for await (const chunk of endpoint("counts").stream(id)) {
      outputs.push((chunk as { output: unknown }).output);
      if (outputs.length === 2) await endpoint("counts").cancel(id, LOOK_MS);
    }
    expect(outputs).toEqual(["a", { b: 2 }]);
  });
});

describe("the other functions", () => {
  test("cancel ends a running job", async () => {
    const id = await run("gated");
    await isRunning("gated", id);
    const cancelled = await endpoint("gated").cancel(id, LOOK_MS);
    expect(cancelled).toMatchObject({ id, status: "CANCELLED" });
    const job = await endpoint("gated").status(id, LOOK_MS);
    expect(job).toMatchObject({ status: "CANCELLED", completed: true, succeeded: false });
  });

  test("health returns integer counts of jobs and workers", async () => {
    const { jobs, workers } = await endpoint("echo").health(LOOK_MS);
    const names = ["completed", "failed", "inProgress", "inQueue", "retried"];
    expect(Object.keys(jobs).toSorted()).toEqual(names);
    const states = ["idle", "initializing", "ready", "running", "throttled", "unhealthy"];
    expect(Object.keys(workers).toSorted()).toEqual(states);
    const counts = [...Object.values(jobs), ...Object.values(workers)];
    expect(counts.every((count) => Number.isInteger(count))).toBe(true);
  });

  test("purgeQueue removes waiting jobs", async () => {
    const { queue } = emulator.endpoint("echo");
    queue.hold();
    await run("echo");
    await run("echo");
    const purged = await endpoint("echo").purgeQueue(LOOK_MS);
    expect(purged).toEqual({ removed: 2, status: "completed" });
    await queue.release();
  });
});

describe("a refusal is thrown with its status and its message", () => {
  const refusal = async (promise: Promise<unknown>) => {
    const thrown = await promise.then(
      () => undefined,
      (error: unknown) => error,
    );
    const { response } = thrown as { response: { status: number; data: unknown } };
    return { status: response.status, data: response.data };
  };

  test("of a wrong key", async () => {
    const { status, data } = await refusal(endpoint("echo", "wrong").health(LOOK_MS));
    expect(status).toBe(401);
    expect(data).toMatchObject({ error: expect.stringContaining("key") as string });
  });

  test("of an unknown endpoint", async () => {
    const { status, data } = await refusal(endpoint("ecko").run({ input: {} }, LOOK_MS));
    expect(status).toBe(404);
    expect(data).toMatchObject({ error: "endpoint not found" });
  });

  test("of an unknown job", async () => {
    const { status } = await refusal(endpoint("echo").status("none", LOOK_MS));
    expect(status).toBe(404);
    expect((await refusal(Array.fromAsync(endpoint("echo").stream("none")))).status).toBe(404);
  });

  test("of a finished job", async () => {
    const id = await run("echo");
    await emulator.idle();
    expect((await refusal(endpoint("echo").cancel(id, LOOK_MS))).status).toBe(400);
  });

  test("of an invalid input", async () => {
    const { status, data } = await refusal(endpoint("echo").runSync({ input: "text" }));
    expect(status).toBe(400);
    expect(data).toStrictEqual({ error: expect.stringContaining("input must be") as string });
  });
});

playing.ends();
