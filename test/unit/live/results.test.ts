/** Results that a live worker posts: normal, odd, refused or late. `shapes.test.ts` has the usual forms. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { storeThatFills } from "../engine/filling-store.ts";
import { LiveScene } from "./live-scene.ts";

async function statusAfter(body: unknown) {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  const answer = await scene.worker.done(id, body);
  expect(answer).toMatchObject({ status: 200, contentType: "application/json" });
  return await scene.status(id);
}

describe("a result", () => {
  it("can be a value, which is kept byte for byte", async () => {
    await using scene = await LiveScene.set();
    const { id } = await scene.handOut();
    await scene.worker.done(id, '{"output": {"z": 1.0, "a": "grüß", "big": 12345678901234567890}}');
    const { text } = await scene.service.call("GET", `/v2/echo/status/${id}`);
    expect(text).toContain('"output":{"z": 1.0, "a": "grüß", "big": 12345678901234567890}');
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED" });
  });

  it.each([
    ["a number", { error: 5 }, "5"],
    ["a list", { error: ["a", 1] }, '["a",1]'],
    ["text that only looks like an exception", { error: '{"error_message"' }, '{"error_message"'],
    ["an object without a message", { error: { code: 1 } }, '{"code":1}'],
  ])("can be an error that is %s", async (_name, body, shown) => {
    const job = await statusAfter(body);
    expect(job).toMatchObject({ status: "FAILED", error: shown, failure: { reported: shown } });
  });

  it.each([null, "", false])("is no error when it is %j", async (error) => {
    expect(await statusAfter({ error, output: 1 })).toMatchObject({
      status: "COMPLETED",
      output: 1,
    });
  });
});

describe("a result that cannot be accepted", () => {
  it.each([
    ["no JSON", '{"output": {"loss": NaN}}', 'unexpected "N" at byte 20'],
    ["empty", "", "it is empty"],
    ["no object", "[]", "must be an object"],
    ["nested too deep", `{"output": ${"[".repeat(600)}${"]".repeat(600)}}`, "512"],
  ])(
    "because it is %s is refused, and the job fails with that reason",
    async (_name, body, reason) => {
      await using scene = await LiveScene.set();
      const { id } = await scene.handOut();
      const refused = await scene.worker.done(id, body);
      expect(refused.status).toBe(400);
      expect(JSON.parse(refused.text)).toEqual({
        error: expect.stringContaining(reason) as string,
      });
      expect(scene.logged()).toContainEqual(expect.stringContaining(reason));
      const job = await scene.status(id);
      expect(job).toMatchObject({ status: "FAILED", failure: { type: "worker_refused" } });
      expect(job.error).toContain(reason);
      expect(job).not.toHaveProperty("output");
    },
  );

  it.each([
    ["no JSON", '{"loss": NaN}', 'unexpected "N" at byte'],
    ["too large", JSON.stringify("x".repeat(LIMITS.progressMaxBytes)), "at most 1000000 bytes"],
  ])("is a progress value, %s: the job continues", async (_name, value, reason) => {
    await using scene = await LiveScene.set();
    const { id } = await scene.handOut();
    const refused = await scene.worker.done(id, `{"status": "IN_PROGRESS", "output": ${value}}`);
    expect(refused.status).toBe(400);
    expect(scene.logged()).toContainEqual(expect.stringContaining(reason));
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
    await scene.worker.done(id, { output: 1 });
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  it.each([
    ["a little too large", LIMITS.outputMaxBytes],
    ["far too large", LIMITS.outputMaxBytes + 2_000_000],
  ])("because it is %s is refused, and the job fails with the limit", async (_name, length) => {
    await using scene = await LiveScene.set();
    const { id } = await scene.handOut();
    const refused = await scene.worker.done(id, { output: "x".repeat(length) });
    expect(refused.status).toBe(400);
    const job = await scene.status(id);
    expect(job).toMatchObject({ status: "FAILED", failure: { type: "worker_refused" } });
    expect(job.error).toContain(`at most ${LIMITS.outputMaxBytes} bytes`);
    expect(job).not.toHaveProperty("output");
  });

  it("for lack of room may be sent again", async () => {
    const { store, fill } = storeThatFills();
    await using scene = await LiveScene.set({ store });
    const { id } = await scene.handOut();
    fill(true);
    expect((await scene.worker.stream(id, "a")).status).toBe(507);
    expect((await scene.worker.done(id, { output: 1 })).status).toBe(507);
    fill(false);
    expect((await scene.worker.stream(id, "a")).status).toBe(200);
    expect((await scene.worker.done(id, { output: 1 })).status).toBe(200);
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
    const { json } = await scene.service.call("GET", `/v2/echo/stream/${id}?from=0`);
    expect(json).toEqual([{ output: "a", metrics: { stream_index: 0 } }]);
  });

  it("is accepted at its maximum size", async () => {
    await using scene = await LiveScene.set();
    const { id } = await scene.handOut();
    const output = "x".repeat(LIMITS.outputMaxBytes - 2);
    expect((await scene.worker.done(id, { output })).status).toBe(200);
    expect((await scene.status(id)).output).toBe(output);
  });
});

describe("a result that comes too late", () => {
  it("is dropped when three come at once: the first one ends the job", async () => {
    await using scene = await LiveScene.set();
    const { id } = await scene.handOut();
    const answers = await Promise.all([1, 2, 3].map(() => scene.worker.done(id, { output: 1 })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  it("is dropped when it comes from the job's previous worker: the present one's counts", async () => {
    await using scene = await LiveScene.set();
    const [first, second] = [scene.workerNamed("first"), scene.workerNamed("second")];
    const { id } = await scene.handOut(first);
    const taken = second.take();
    await scene.waitsForJobs("second");
    await scene.advance(LIMITS.leaseMs);
    expect(await taken).toMatchObject({ id });
    expect((await first.done(id, { output: "late" })).status).toBe(200);
    expect((await first.stream(id, "late")).status).toBe(200);
    expect((await first.progress(id, "late")).status).toBe(200);
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS", workerId: "second" });
    await second.done(id, { output: "on time" });
    expect(await scene.status(id)).toMatchObject({
      status: "COMPLETED",
      output: "on time",
      workerId: "second",
      retries: 1,
    });
  });

  it("is dropped for an unknown worker or job", async () => {
    await using scene = await LiveScene.set();
    expect((await scene.workerNamed("nobody").done("none", { output: 1 })).status).toBe(200);
    await scene.worker.ping();
    expect((await scene.worker.done("none", { output: 1 })).status).toBe(200);
    expect((await scene.worker.stream("none", 1)).status).toBe(200);
  });
});
