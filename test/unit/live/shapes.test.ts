/**
 * All forms of reports of live workers, from the hand-over to the end of a job: the job in our own and the live
 * dialect, and its stream if there is one.
 */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { sdkException, type SdkWorker } from "../../live/sdk-worker.ts";
import { LiveScene } from "./live-scene.ts";

const WORKER = "by-hand";

interface Shape {
  readonly name: string;
  /** Actions of the worker on its job, until the job has ended. */
  readonly play: (worker: SdkWorker, jobId: string, scene: LiveScene) => Promise<unknown>;
  /** The job in our own dialect, without the members that every job has. */
  readonly contract: object;
  /** The job in the live dialect; default: the same. */
  readonly live?: object;
  /** Outputs of its stream; default: none. */
  readonly stream?: readonly unknown[];
}

const TIMES = {
  delayTime: expect.any(Number) as number,
  executionTime: expect.any(Number) as number,
};

const exception = sdkException("ValueError", "no such model", WORKER);
const ofGenerator =
  'handler: out of memory \ntraceback: Traceback (most recent call last):\n  File "/handler.py"';
const errorObject = { message: "too long", code: 400 };

const failure = (message: string, reported: string, stack?: string) => ({
  type: "handler_error",
  message,
  ...(stack !== undefined && { stack: expect.stringContaining(stack) as string }),
  reported,
  workerId: WORKER,
});

async function yields(worker: SdkWorker, jobId: string, outputs: readonly unknown[]) {
  for (const output of outputs) expect((await worker.stream(jobId, output)).status).toBe(200);
}

const shapes: readonly Shape[] = [
  {
    name: "a value",
    play: (worker, id) => worker.done(id, { output: { text: "grüß", n: [1, 2.5, null] } }),
    contract: { status: "COMPLETED", output: { text: "grüß", n: [1, 2.5, null] } },
  },
  {
    name: "None",
    play: (worker, id) => worker.done(id, { output: null }),
    contract: { status: "COMPLETED", output: null },
  },
  {
    name: "an empty dict",
    play: (worker, id) => worker.done(id, {}),
    contract: { status: "COMPLETED" },
  },
  {
    name: "an error, with the rest of the dict beside it",
    play: (worker, id) => worker.done(id, { output: { partial: 1 }, error: "no prompt" }),
    contract: {
      status: "FAILED",
      output: { partial: 1 },
      error: "no prompt",
      failure: failure("no prompt", "no prompt"),
    },
    live: { status: "FAILED", output: { partial: 1 }, error: "no prompt" },
  },
  {
    name: "an error that is an object",
    play: (worker, id) => worker.done(id, { error: errorObject }),
    contract: {
      status: "FAILED",
      error: "too long",
      failure: failure("too long", JSON.stringify(errorObject)),
    },
    live: { status: "FAILED", error: JSON.stringify(errorObject) },
  },
  {
    name: "an exception",
    play: (worker, id) => worker.done(id, { error: exception }),
    contract: {
      status: "FAILED",
      error: "ValueError: no such model",
      failure: failure("ValueError: no such model", exception, "line 3, in handler"),
    },
    live: { status: "FAILED", error: exception },
  },
  {
    name: "a generator",
    play: async (worker, id) => {
      await yields(worker, id, ["a", { b: 2 }, null]);
      return worker.done(id, { output: [] }, true);
    },
    contract: { status: "COMPLETED", output: [] },
    stream: ["a", { b: 2 }, null],
  },
  {
    name: "a generator whose yields are put together",
    play: async (worker, id) => {
      await yields(worker, id, ["a", "b"]);
      return worker.done(id, { output: ["a", "b"] }, true);
    },
    contract: { status: "COMPLETED", output: ["a", "b"] },
    stream: ["a", "b"],
  },
  {
    name: "a generator that raises",
    play: async (worker, id) => {
      await yields(worker, id, ["a"]);
      return worker.done(id, { error: ofGenerator }, true);
    },
    contract: {
      status: "FAILED",
      error: "out of memory",
      failure: failure("out of memory", ofGenerator, 'File "/handler.py"'),
    },
    live: { status: "FAILED", error: ofGenerator },
    stream: ["a"],
  },
  {
    name: "a generator that yields an error",
    play: async (worker, id) => {
      await yields(worker, id, ["a"]);
      return worker.done(id, { error: "no more tokens" }, true);
    },
    contract: {
      status: "FAILED",
      error: "no more tokens",
      failure: failure("no more tokens", "no more tokens"),
    },
    live: { status: "FAILED", error: "no more tokens" },
    stream: ["a"],
  },
  {
    name: "progress before the end, and after it",
    play: async (worker, id, scene) => {
      await worker.progress(id, { percent: 50 });
      const shown = { id, status: "IN_PROGRESS", output: { percent: 50 } };
      expect(await scene.status(id)).toMatchObject(shown);
      expect(await scene.liveStatus(id)).toMatchObject(shown);
      await worker.done(id, { output: "done" });
      expect((await worker.progress(id, { percent: 100 })).status).toBe(200);
    },
    contract: { status: "COMPLETED", output: "done" },
  },
  {
    name: "progress, and an end without an output",
    play: async (worker, id) => {
      await worker.progress(id, { percent: 50 });
      await worker.done(id, {});
    },
    contract: { status: "COMPLETED" },
  },
  {
    name: "a value, and the wish to be replaced",
    play: (worker, id) => worker.done(id, { output: 1, stopPod: true }),
    contract: { status: "COMPLETED", output: 1 },
  },
  {
    name: "an exception, and the wish to be replaced",
    play: (worker, id) => worker.done(id, { error: exception, stopPod: true }),
    contract: {
      status: "FAILED",
      error: "ValueError: no such model",
      failure: failure("ValueError: no such model", exception, "line 3, in handler"),
    },
    live: { status: "FAILED", error: exception },
  },
  {
    name: "nothing, for it was told to stop",
    play: async (worker, id, scene) => {
      const told = worker.jobsToStop();
      await scene.service.call("POST", `/live/v2/echo/cancel/${id}`);
      expect(await told).toEqual([id]);
    },
    contract: { status: "CANCELLED" },
  },
  {
    name: "a result of what was cancelled, because its handler cannot be stopped",
    play: async (worker, id, scene) => {
      await scene.service.call("POST", `/v2/echo/cancel/${id}`);
      expect((await worker.done(id, { output: 1 })).status).toBe(200);
    },
    contract: { status: "CANCELLED" },
  },
  {
    name: "a result three times, and another one",
    play: async (worker, id) => {
      for (const body of [{ output: 1 }, { output: 1 }, { output: 1 }, { error: "no" }])
        expect((await worker.done(id, body)).status).toBe(200);
    },
    contract: { status: "COMPLETED", output: 1 },
  },
  {
    name: "nothing, twice",
    play: async (worker, id, scene) => {
      await scene.advance(LIMITS.leaseMs);
      await worker.ping();
      expect(await worker.take()).toMatchObject({ id });
      await scene.advance(LIMITS.leaseMs);
    },
    contract: {
      status: "FAILED",
      error: "job timed out after 1 retries",
      retries: 1,
      failure: {
        type: "worker_lost",
        message: expect.any(String) as string,
        workerId: WORKER,
      },
    },
    live: { status: "FAILED", error: "job timed out after 1 retries", retries: 1 },
  },
];

async function streamOf(scene: LiveScene, base: string, jobId: string): Promise<unknown> {
  return (await scene.service.call("GET", `${base}/v2/echo/stream/${jobId}?from=0`)).json;
}

describe.each(shapes)("$name", ({ play, contract, live = contract, stream = [] }) => {
  it("ends the job alike for every client", async () => {
    await using scene = await LiveScene.set();
    const worker = scene.workerNamed(WORKER);
    const { id } = await scene.handOut(worker);
    await play(worker, id, scene);
    const every = { id, workerId: WORKER, ...TIMES };
    expect(await scene.status(id)).toStrictEqual({ ...every, ...contract });
    expect(await scene.liveStatus(id)).toStrictEqual({ ...every, ...live });
    const chunks = stream.map((output, at) => ({ output, metrics: { stream_index: at } }));
    expect(await streamOf(scene, "", id)).toStrictEqual(chunks);
    const { status } = await scene.status(id);
    // FAILED comes after the chunks.
    const shown = status === "FAILED" && stream.length > 0 ? "IN_PROGRESS" : status;
    expect(await streamOf(scene, "/live", id)).toStrictEqual({ status: shown, stream: chunks });
  });
});

it("a batch of four ends each job as its own result says", async () => {
  await using scene = await LiveScene.set();
  const worker = scene.workerNamed(WORKER);
  for (let n = 0; n < 4; n += 1) await scene.submit({ n });
  const jobs = await worker.takeBatch(4);
  expect(jobs.map(({ input }) => input)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
  const [first, second, third, fourth] = jobs.map(({ id }) => id) as [
    string,
    string,
    string,
    string,
  ];
  await worker.ping([first, second, third, fourth]);
  await yields(worker, third, ["a"]);
  await Promise.all([
    worker.done(fourth, { output: 4 }),
    worker.done(second, { error: exception }),
    worker.done(third, { output: [] }, true),
    worker.done(first, { output: null }),
  ]);
  const every = { workerId: WORKER, ...TIMES };
  const ends = [
    { id: first, status: "COMPLETED", output: null },
    { id: second, status: "FAILED", error: exception },
    { id: third, status: "COMPLETED", output: [] },
    { id: fourth, status: "COMPLETED", output: 4 },
  ];
  for (const end of ends) {
    expect(await scene.liveStatus(end.id)).toStrictEqual({ ...every, ...end });
    const { status, output } = await scene.status(end.id);
    expect({ status, output }).toStrictEqual({
      status: end.status,
      output: "output" in end ? end.output : undefined,
    });
  }
});
