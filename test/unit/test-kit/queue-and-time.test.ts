/** A test controls the queue, the time and the webhook calls of its own service. */
import { setTimeout as later } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createClient } from "sv-runtime/client";
import {
  type AttemptEnd,
  type EmulatorOptions,
  type JobRecord,
  NotIdleError,
  startEmulator,
} from "sv-runtime/emulator";
import { startReceiver } from "./receiver.ts";

const echo: NonNullable<EmulatorOptions["endpoints"]> = {
  echo: { handler: ({ input }) => input },
};

const start = (more: EmulatorOptions = {}) =>
  startEmulator({ port: 0, s3: false, apiKey: "test-key", endpoints: echo, ...more });

const clientOf = ({ url }: { readonly url: string }) =>
  createClient({ baseUrl: url, apiKey: "test-key" });

describe("the queue", () => {
  test("on hold keeps its jobs from free workers, and releases them in order", async () => {
    await using emulator = await start();
    await using client = clientOf(emulator);
    const endpoint = emulator.endpoint("echo");
    const { queue } = endpoint;
    await endpoint.run({ n: 0 });
    queue.hold();
    for (const n of [1, 2, 3]) await client.endpoint("echo").run({ n });
    await emulator.idle();
    expect(queue.isOnHold).toBe(true);
    expect((await queue.jobs()).map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await queue.release();
    await emulator.idle();
    expect(await queue.jobs()).toEqual([]);
    expect((await endpoint.jobs({ status: "COMPLETED" })).map(({ output }) => output)).toEqual(
      [0, 1, 2, 3].map((n) => ({ n })),
    );
  });

  test("drains until all waiting jobs are done, and is then on hold again", async () => {
    await using emulator = await start();
    await using client = clientOf(emulator);
    const { queue } = emulator.endpoint("echo");
    queue.hold();
    for (const n of [1, 2]) await client.endpoint("echo").run({ n });
    const drained = await queue.drain();
    expect(drained.map(({ status, output }) => ({ status, output }))).toEqual([
      { status: "COMPLETED", output: { n: 1 } },
      { status: "COMPLETED", output: { n: 2 } },
    ]);
    expect(queue.isOnHold).toBe(true);
    expect(await queue.drain()).toEqual([]);
  });

  test("of an unknown endpoint is an error that names the known ones", async () => {
    await using emulator = await start();
    expect(() => emulator.endpoint("ecko")).toThrow(
      'there is no endpoint "ecko"; did you mean "echo"? Known are: echo',
    );
  });
});

describe("a wait for a quiet service", () => {
  test("names the running work at its timeout", async () => {
    await using emulator = await start({
      endpoints: { slow: { handler: (_, { signal }) => later(60_000, undefined, { signal }) } },
    });
    await using client = clientOf(emulator);
    await client.endpoint("slow").run({});
    const waited = emulator.idle({ timeoutMs: 1 });
    await expect(waited).rejects.toThrow(NotIdleError);
    await expect(waited).rejects.toThrow(/^not idle after 1 ms; jobs of "slow": 1 IN_/u);
  });

  test("jobs are reported at their end, with the log of their handlers", async () => {
    const ended: JobRecord[] = [];
    const emulator = await start({
      endpoints: { echo: { handler: ({ input }, { log }) => (log.info("hello"), input) } },
      jobEnded: (job) => ended.push(job),
    });
    const first = await emulator.endpoint("echo").run({ n: 1 });
    await emulator.endpoint("echo").run({ n: 2 });
    await emulator.stop();
    expect(ended.map(({ input, logs }) => ({ input, logs }))).toEqual([
      { input: { n: 1 }, logs: ["hello"] },
      { input: { n: 2 }, logs: ["hello"] },
    ]);
    expect(ended[0]?.id).toBe(first.id);
  });
});

describe("attempts", () => {
  const endpoints: NonNullable<EmulatorOptions["endpoints"]> = {
    twice: {
      handler: (_, { attempt }) => {
        if (attempt < 3) throw new TypeError(`not at attempt ${attempt}`);
        return "done";
      },
      settings: { retries: { handlerError: 1, workerLost: 0 } },
    },
    echo: { handler: ({ input }) => input },
  };
  const failedAt = (attempt: number) => ({
    type: "handler_error",
    message: `not at attempt ${attempt}`,
    stack: expect.stringContaining("queue-and-time.test.ts"),
  });

  test("are reported at their end, with the failures of those that are repeated", async () => {
    const ended: AttemptEnd[] = [];
    await using emulator = await start({ endpoints, attemptEnded: (end) => ended.push(end) });
    await using client = clientOf(emulator);
    const { id } = await client.endpoint("twice").run({});
    await emulator.idle();
    await emulator.endpoint("echo").run({});
    emulator.endpoint("echo").queue.hold();
    const waiting = await client.endpoint("echo").run({});
    await client.endpoint("echo").cancel(waiting.id);
    await client.endpoint("echo").run({});
    await client.endpoint("echo").purgeQueue();
    const durationMs = expect.any(Number);
    const ofFirst = { jobId: id, endpointId: "twice", outcome: "failed", durationMs };
    const done = { endpointId: "echo", isTriedAgain: false, failure: undefined };
    expect(ended).toEqual([
      { ...ofFirst, isTriedAgain: true, attempt: 1, failure: expect.objectContaining(failedAt(1)) },
      {
        ...ofFirst,
        isTriedAgain: false,
        attempt: 2,
        failure: expect.objectContaining(failedAt(2)),
      },
      expect.objectContaining({ ...done, outcome: "completed", attempt: 1, durationMs }),
      expect.objectContaining({ ...done, outcome: "cancelled", attempt: 0, durationMs: undefined }),
      expect.objectContaining({ ...done, outcome: "purged", attempt: 0, durationMs: undefined }),
    ]);
  });

  test("are logged if they failed, and otherwise not", async () => {
    await using emulator = await start({ endpoints });
    await emulator.endpoint("echo").run({});
    await emulator
      .endpoint("twice")
      .run({})
      .catch(() => undefined);
    const response = await fetch(`${emulator.url}/emulator/logs?ended=true`, {
      headers: { authorization: "Bearer test-key" },
    });
    const lines = (await response.text()).match(/\{.*\}/g) ?? [];
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      entries.filter(({ jobId, source }) => jobId !== undefined && source === undefined),
    ).toEqual([
      expect.objectContaining({
        level: "warn",
        msg: "the job failed, and is tried again: not at attempt 1",
        endpointId: "twice",
        attempt: 1,
        outcome: "failed",
        isTriedAgain: true,
        error: expect.objectContaining(failedAt(1)),
      }),
      expect.objectContaining({
        level: "error",
        msg: "the job failed: not at attempt 2",
        attempt: 2,
        durationMs: expect.any(Number),
      }),
    ]);
  });
});

describe("time", () => {
  test("does not run by itself, and an advance triggers what is due", async () => {
    await using emulator = await start({ clock: "manual" });
    const { id } = await emulator.endpoint("echo").run({ n: 1 });
    const before = emulator.clock.now();
    await later(5);
    expect(emulator.clock.now()).toBe(before);
    expect((await emulator.clock.advance("29m")).settled).toBe(true);
    expect((await emulator.endpoint("echo").job(id)).status).toBe("COMPLETED");
    expect((await emulator.clock.advance("2m")).settled).toBe(true);
    await expect(emulator.endpoint("echo").job(id)).rejects.toMatchObject({
      code: "job_not_found",
    });
    expect(emulator.clock.now()).toBe(before + 31 * 60_000);
  });

  test("idle workers leave after an advance, and a job brings one back", async () => {
    const lives: string[] = [];
    const handler = {
      setup: () => void lives.push("begins"),
      dispose: () => void lives.push("leaves"),
      run: () => "done",
    };
    await using emulator = await start({
      clock: "manual",
      endpoints: { rare: { handler, settings: { workersMin: 0, idleTimeout: 5 } } },
    });
    expect((await emulator.endpoint("rare").run({})).output).toBe("done");
    await emulator.clock.advance("6s");
    expect(lives).toEqual(["begins", "leaves"]);
    expect((await emulator.endpoint("rare").run({})).output).toBe("done");
    expect(lives).toEqual(["begins", "leaves", "begins"]);
  });

  test("the windows of rate limits follow an advance", async () => {
    await using emulator = await start({ clock: "manual" });
    const purge = () =>
      fetch(`${emulator.endpoint("echo").url}/purge-queue`, {
        method: "POST",
        headers: { authorization: "Bearer test-key" },
      });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await purge()).status);
    expect(statuses).toEqual([200, 200, 429]);
    await emulator.clock.advance("11s");
    expect((await purge()).status).toBe(200);
  });
});

describe("webhook calls", () => {
  test("can be awaited, and their tries follow an advance", async () => {
    await using receiver = await startReceiver([503, 200]);
    await using emulator = await start({ clock: "manual" });
    const job = await emulator.endpoint("echo").run({ n: 1 }, { webhook: receiver.url });
    await emulator.idle();
    const [pending] = await emulator.webhooks.deliveries();
    expect(pending).toMatchObject({ jobId: job.id, state: "pending", url: receiver.url });
    await emulator.clock.advance("10s");
    const [delivered] = await emulator.webhooks.deliveries({ jobId: job.id });
    expect(delivered?.state).toBe("delivered");
    expect(delivered?.tries.map(({ status }) => status)).toEqual([503, 200]);
    expect(delivered?.body).toMatchObject({ id: job.id, output: { n: 1 }, input: { n: 1 } });
    expect(receiver.bodies).toEqual([delivered?.body, delivered?.body]);
  });
});

describe("many services at once", () => {
  test("twenty in one process each have their own clock, queue and jobs", async () => {
    const emulators = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        start({ clock: "manual", endpoints: { own: { handler: () => n } } }),
      ),
    );
    const run = async (emulator: (typeof emulators)[number], n: number) => {
      const before = emulator.clock.now();
      const { id, output } = await emulator.endpoint("own").run({});
      await emulator.clock.advance(n * 60_000);
      expect(emulator.clock.now()).toBe(before + n * 60_000);
      const left = await emulator.endpoint("own").jobs();
      return { output, isLeft: left.some((job) => job.id === id) };
    };
    try {
      const ran = await Promise.all(emulators.map(run));
      expect(ran).toEqual(emulators.map((_, n) => ({ output: n, isLeft: n < 30 })));
    } finally {
      await Promise.all(emulators.map((emulator) => emulator.stop("kill")));
    }
  });
});
