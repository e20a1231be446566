/** Handlers that are functions of the test's own process, behind a whole service. */
import { setTimeout as later } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type Context, defineHandler, type Job } from "sv-runtime";
import { createClient } from "sv-runtime/client";
import { type EmulatorOptions, startEmulator } from "sv-runtime/emulator";
import { eventually } from "../../e2e/jobs/observe.ts";

type Endpoints = NonNullable<EmulatorOptions["endpoints"]>;

const start = (endpoints: Endpoints, more: EmulatorOptions = {}) =>
  startEmulator({ port: 0, apiKey: "test-key", endpoints, ...more });

/** Runs until its signal aborts, and returns the reason. */
function untilAborted(heard: string[] = []) {
  return async (_: Job, { signal }: Context) => {
    heard.push("begun");
    await later(60_000, undefined, { signal }).catch((error: unknown) => {
      heard.push(signal.aborted ? "aborted" : String(error));
      throw error;
    });
  };
}

/** Its signal does not stop it; only `release` does. */
function stubborn() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { release: () => resolve("late"), run: () => promise };
}

describe("a handler that is a function of the test", () => {
  test("can use variables of the test, and the test sees its calls", async () => {
    const greet = vi.fn<(job: Job<{ name: string }>) => Promise<string>>(
      async (job) => `${greeting}, ${job.input.name}!`,
    );
    const greeting = "Ahoy";
    await using emulator = await start({ hello: { handler: greet } });
    const job = await emulator.endpoint("hello").run({ name: "Ada" });
    expect(job).toMatchObject({ status: "COMPLETED", output: "Ahoy, Ada!", attempt: 1 });
    expect(greet).toHaveBeenCalledOnce();
    expect(greet.mock.calls[0]?.[0].id).toBe(job.id);
  });

  test("has its schemas in the OpenAPI document", async () => {
    const input = z.object({ at: z.date(), name: z.string().trim() });
    const handler = defineHandler({ input, run: () => "x" });
    await using emulator = await start({ hello: { handler }, plain: { handler: () => 1 } });
    const read = async () => {
      const headers = { authorization: "test-key" };
      const answer = await fetch(`${emulator.url}/v1/openapi.json`, { headers });
      const { components, paths } = (await answer.json()) as Record<
        string,
        Record<string, unknown>
      >;
      expect(paths).not.toHaveProperty(["/v2/plain/run"]);
      return components?.["schemas"] as Record<string, unknown>;
    };
    const schema = await eventually(
      "its worker tells it",
      async () => (await read())["hello.input"],
    );
    // A value without a JSON form can be anything.
    expect(schema).toMatchObject({ properties: { at: {}, name: { type: "string" } } });
  });

  test("fails its job with the thrown error and the last lines of its log", async () => {
    await using emulator = await start({
      broken: {
        handler: (_, { log }) => {
          log.info("about to break");
          throw new TypeError("no such model");
        },
      },
    });
    const { failure, status } = await emulator.endpoint("broken").run({});
    expect(status).toBe("FAILED");
    expect(failure).toMatchObject({
      type: "handler_error",
      message: "no such model",
      lastLogLines: ["about to break"],
    });
    expect(failure?.stack).toContain("functions.test.ts");
  });

  test("has its input and output checked by its schemas", async () => {
    const handler = defineHandler({
      input: z.object({ n: z.coerce.number() }),
      output: z.number().max(100),
      run: ({ input }) => input.n * 10,
    });
    await using emulator = await start({ times: { handler } });
    const times = emulator.endpoint("times");
    expect(await times.run({ n: "7" })).toMatchObject({ output: 70 });
    expect((await times.run({ n: "seven" })).failure).toMatchObject({ type: "invalid_input" });
    expect((await times.run({ n: 11 })).failure).toMatchObject({ type: "invalid_output" });
  });

  test("streams at the pace of stored chunks, and a yield of more than 1 MB in parts", async () => {
    const large = "x".repeat(2_500_000);
    await using emulator = await start({
      tokens: {
        handler: async function* () {
          for (let n = 0; n < 300; n++) yield n;
          yield large;
        },
      },
    });
    const { chunks, status } = await emulator.endpoint("tokens").run({});
    expect(status).toBe("COMPLETED");
    expect(chunks.slice(0, 300).map(({ output }) => output)).toEqual([...Array(300).keys()]);
    expect(chunks.slice(300).every(({ metrics }) => metrics.split !== undefined)).toBe(true);
    await using client = createClient({ baseUrl: emulator.url, apiKey: "test-key" });
    const { id } = await client.endpoint("tokens").run({});
    const outputs = [];
    for await (const { output } of client.endpoint("tokens").stream(id)) outputs.push(output);
    expect(outputs.length).toBe(301);
    expect(outputs[300] === large).toBe(true);
  });

  test("learns of a cancellation by its signal, and keeps its worker", async () => {
    const heard: string[] = [];
    await using emulator = await start({ slow: { handler: untilAborted(heard) } });
    await using client = createClient({ baseUrl: emulator.url, apiKey: "test-key" });
    const slow = client.endpoint("slow");
    const { id } = await slow.run({});
    await eventually("it has begun", () => heard.includes("begun") || undefined);
    await slow.cancel(id);
    await emulator.idle();
    expect((await emulator.endpoint("slow").job(id)).status).toBe("CANCELLED");
    await eventually("it was told", () => heard.includes("aborted") || undefined);
    const before = await emulator.endpoint("slow").job((await slow.run({})).id);
    await eventually("the next one runs", () => heard.length === 3 || undefined);
    const after = await emulator.endpoint("slow").job(before.id);
    expect(after.status).toBe("IN_PROGRESS");
  });

  test("is TIMED_OUT after its executionTimeout, and abandoned if it does not stop", async () => {
    const { run, release } = stubborn();
    const answers = [run, async () => "in time"];
    const handler = () => answers.shift()?.();
    const lines: string[] = [];
    await using emulator = await start(
      { slow: { handler, graceMs: 20, settings: { workersMax: 1, executionTimeoutMs: 50 } } },
      { workerLine: ({ line }) => lines.push(line) },
    );
    const slow = emulator.endpoint("slow");
    const job = await slow.run({});
    expect(job).toMatchObject({
      status: "TIMED_OUT",
      failure: { type: "execution_timeout" },
    });
    expect(await slow.run({})).toMatchObject({ status: "COMPLETED", output: "in time" });
    expect(lines.join("\n")).toContain("it is abandoned and may still run");
    release();
    await emulator.idle();
    expect((await slow.job(job.id)).status).toBe("TIMED_OUT");
  });

  test("is set up once, shares its state between jobs, and is disposed of at the end", async () => {
    const told: string[] = [];
    const handler = defineHandler({
      setup: async ({ log }) => {
        log.info("loading");
        told.push("setup");
        return { calls: 0 };
      },
      run: (_, { state, refresh }) => {
        if (state.calls === 1) refresh();
        return ++state.calls;
      },
      dispose: (state) => void told.push(`dispose after ${state.calls}`),
    });
    const emulator = await start({ counter: { handler, settings: { workersMax: 1 } } });
    const counter = emulator.endpoint("counter");
    const outputs = [];
    for (let n = 0; n < 3; n++) outputs.push((await counter.run({})).output);
    expect(outputs).toEqual([1, 2, 1]);
    await emulator[Symbol.asyncDispose]();
    expect(told).toEqual(["setup", "dispose after 2", "setup", "dispose after 1"]);
  });

  test("runs as many jobs at a time as its concurrency", async () => {
    let now = 0;
    let most = 0;
    const handler = defineHandler({
      concurrency: 4,
      run: async () => {
        most = Math.max(most, ++now);
        await later(20);
        now--;
      },
    });
    await using emulator = await start({ many: { handler, settings: { workersMax: 1 } } });
    const many = emulator.endpoint("many");
    many.queue.hold();
    const runs = Array.from({ length: 8 }, () => many.run({}));
    await eventually("all wait", async () => (await many.queue.jobs()).length === 8 || undefined);
    await many.queue.release();
    await Promise.all(runs);
    expect(most).toBe(4);
  });

  test("with a failing setup leaves its endpoint without a worker, and the log says why", async () => {
    const lines: string[] = [];
    const handler = defineHandler({
      setup: () => {
        throw new Error("no GPU here");
      },
      run: () => 1,
    });
    await using emulator = await start(
      { broken: { handler } },
      { workerLine: ({ line }) => lines.push(line) },
    );
    await eventually("it says why", () =>
      lines.some((line) => line.includes("setup failed: no GPU here")) ? true : undefined,
    );
    const queue = emulator.endpoint("broken").queue;
    expect(await queue.jobs()).toEqual([]);
  });

  test("is refused if it is no function, and the error says what it should be", async () => {
    const handler: unknown = { execute: () => 1 };
    // Arguments of a caller without a compiler.
    await expect(start({ odd: { handler: handler as () => unknown } })).rejects.toThrow(
      /endpoints\.odd is an object: it must be a function/u,
    );
  });

  test("has its own directory for each job, which is removed afterwards", async () => {
    const { existsSync, writeFileSync } = await import("node:fs");
    await using emulator = await start({
      files: {
        handler: (_, { tempDir }) => {
          writeFileSync(`${tempDir}/a`, "a");
          return { tempDir, was: existsSync(tempDir) };
        },
      },
    });
    const { output } = await emulator.endpoint("files").run({});
    const { tempDir, was } = z.object({ tempDir: z.string(), was: z.boolean() }).parse(output);
    expect(was).toBe(true);
    expect(existsSync(tempDir)).toBe(false);
  });

  test("ends with the service, even in the middle of a job", async () => {
    const heard: string[] = [];
    const emulator = await start({ slow: { handler: untilAborted(heard) } });
    void emulator
      .endpoint("slow")
      .run({})
      .catch(() => undefined);
    await eventually("it has begun", () => heard.includes("begun") || undefined);
    await emulator.stop("kill");
    expect(heard).toEqual(["begun", "aborted"]);
  });
});

test("objects are kept if the test asks for a store", async () => {
  const handler = async (_: Job, { upload }: Context) => upload("a.txt", "hello");
  await using emulator = await start({ files: { handler } }, { s3: {} });
  const { output, status } = await emulator.endpoint("files").run({});
  expect(status).toBe("COMPLETED");
  expect(JSON.stringify(output)).toContain(emulator.s3?.endpoint ?? "nowhere");
  await using without = await start({ files: { handler } });
  expect(without.s3).toBeUndefined();
});
