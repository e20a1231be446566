/** Handlers of our own workers that return `error` or `refresh_worker`: below /live as with the SDK, below /v2 as an output with a hint. */
import { describe, expect, it } from "vitest";
import type { LauncherKind } from "../../../emulator/core/workers/worker-life.ts";
import type { ScriptedWorker } from "../scripted-worker.ts";
import { LiveScene, type ShownJob } from "./live-scene.ts";

/** Submits a job below the base path, lets a worker return `output`, and returns the job as clients of both dialects see it. */
async function ended(scene: LiveScene, base: "/live" | "", output: unknown, how: Ending = {}) {
  const { service } = scene;
  const { worker = await service.test.connectWorker("echo", { kind: how.kind ?? "process" }) } =
    how;
  const { json } = await service.call("POST", `${base}/v2/echo/run`, { body: { input: {} } });
  const { id } = json as ShownJob;
  await worker.complete(await worker.nextJob(), output);
  return { ours: await scene.status(id), live: await scene.liveStatus(id), worker };
}

interface Ending {
  readonly kind?: LauncherKind;
  readonly worker?: ScriptedWorker;
}

const isTold = (worker: ScriptedWorker) => worker.orders.some(({ drain }) => drain === true);
const large = "x".repeat(400_000);

describe("below /live", () => {
  it.each([
    ["a text", { error: "no face found" }, undefined, "no face found", "no face found"],
    ["a text beside data", { n: 1, error: "bad" }, { n: 1 }, "bad", "bad"],
    [
      "an object",
      { error: { code: 4, message: "too long" } },
      undefined,
      "too long",
      '{"code":4,"message":"too long"}',
    ],
    ["a large text", { error: "e", image: large }, { image: large }, "e", "e"],
  ])("a returned error that is %s fails the job", async (_, output, rest, ours, live) => {
    await using scene = await LiveScene.set();
    const job = await ended(scene, "/live", output);
    expect(job.ours).toMatchObject({ status: "FAILED", error: ours, failure: { message: ours } });
    expect(job.ours.output).toEqual(rest);
    expect(job.live).toMatchObject({ status: "FAILED", error: live });
  });

  it.each([
    ["null", { error: null, n: 1 }, { n: 1 }],
    ["an empty text alone", { error: "" }, undefined],
    ["false", { error: false, refresh_worker: false, n: 2 }, { n: 2 }],
    ["an empty list", { error: [], n: 3 }, { n: 3 }],
  ])("an error that is %s is taken out, and the job is COMPLETED", async (_, output, rest) => {
    await using scene = await LiveScene.set();
    const { ours, worker } = await ended(scene, "/live", output);
    expect([ours.status, ours.output]).toEqual(["COMPLETED", rest]);
    expect(isTold(worker)).toBe(false);
  });

  it.each([
    ["a list", [{ error: "x" }]],
    ["deeper inside", { result: { error: "x", refresh_worker: true } }],
    ["the name of another member", { errors: ["error"], text: '"error":1' }],
    ["a text", '{"error":"x"}'],
  ])("an error in %s is output", async (_, output) => {
    await using scene = await LiveScene.set();
    expect((await ended(scene, "/live", output)).ours).toMatchObject({
      status: "COMPLETED",
      output,
    });
  });

  it("the worker of refresh_worker takes no more jobs, and is told to leave", async () => {
    await using scene = await LiveScene.set();
    const { ours, worker } = await ended(scene, "/live", { n: 1, refresh_worker: true });
    expect([ours.status, ours.output]).toEqual(["COMPLETED", { n: 1 }]);
    await scene.until(() => isTold(worker));
    expect(scene.logged()).toContain("worker is to be replaced");
  });

  it("an outcome that the worker repeats changes nothing", async () => {
    await using scene = await LiveScene.set();
    const worker = await scene.service.test.connectWorker();
    const { json } = await scene.service.call("POST", "/live/v2/echo/run", { body: { input: {} } });
    const job = await worker.nextJob();
    await worker.complete(job, { error: "once" });
    await worker.complete(job, { error: "once" });
    expect(await scene.status((json as ShownJob).id)).toMatchObject({ status: "FAILED" });
  });
});

describe("below /v2", () => {
  it.each([
    ["an error", { error: "no face found" }, "throw an error to fail a job"],
    ["refresh_worker", { refresh_worker: true, n: 1 }, "call context.refresh()"],
  ])("%s is output, and one hint for each version says so", async (_, output, hint) => {
    await using scene = await LiveScene.set();
    const first = await ended(scene, "", output);
    expect(first.ours).toMatchObject({ status: "COMPLETED", output });
    const { worker } = await ended(scene, "", output);
    const hints = () => scene.logged().filter((line) => line.includes(hint));
    expect(hints()).toHaveLength(1);
    await worker.grant();
    worker.worker.endpointVersion = 2;
    await ended(scene, "", output, { worker });
    expect(hints()).toHaveLength(2);
    expect(isTold(worker)).toBe(false);
  });

  it.each([{ error: null, n: 1 }, { errors: ["x"] }, { refresh_worker: false }])(
    "%j brings no hint",
    async (output) => {
      await using scene = await LiveScene.set();
      await ended(scene, "", output);
      expect(scene.logged().filter((line) => line.includes("returned"))).toEqual([]);
    },
  );
});
