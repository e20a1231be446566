/** Yields of live generator workers: one chunk each, in order, unchanged, and split when they are too large. */
import { Buffer } from "node:buffer";
import runpodSdk from "runpod-sdk";
import { describe, expect, it } from "vitest";
import { createClient, joinChunks, type RawChunk } from "../../../runtime/client/index.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { USER_KEY } from "../http/http-harness.ts";
import { LiveScene } from "./live-scene.ts";

async function streamOf(scene: LiveScene, jobId: string) {
  return scene.service.call("GET", `/v2/echo/stream/${jobId}?from=0`);
}

it("each yield is durable before the next one comes", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  for (const output of ["a", { b: [1, null] }, null]) {
    expect((await scene.worker.stream(id, output)).status).toBe(200);
  }
  expect((await streamOf(scene, id)).json).toEqual([
    { output: "a", metrics: { stream_index: 0 } },
    { output: { b: [1, null] }, metrics: { stream_index: 1 } },
    { output: null, metrics: { stream_index: 2 } },
  ]);
  await scene.worker.done(id, { output: [] }, true);
  expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: [] });
});

it("yields keep their order even if a worker does not wait for the answers", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await Promise.all([0, 1, 2, 3].map((n) => scene.worker.stream(id, n)));
  await scene.worker.done(id, { output: [] }, true);
  const { json } = await streamOf(scene, id);
  const chunks = json as readonly { readonly metrics: { readonly stream_index: number } }[];
  expect(chunks.map(({ metrics }) => metrics.stream_index)).toEqual([0, 1, 2, 3]);
});

it("chunks are numbered from 0 again when the job is retried, and name their attempt", async () => {
  await using scene = await LiveScene.set();
  const [first, second] = [scene.workerNamed("first"), scene.workerNamed("second")];
  const { id } = await scene.handOut(first);
  await first.stream(id, "void");
  const taken = second.take();
  await scene.waitsForJobs("second");
  await scene.advance(LIMITS.leaseMs);
  await taken;
  await second.stream(id, "again");
  expect((await streamOf(scene, id)).json).toEqual([
    { output: "again", metrics: { stream_index: 0, attempt: 2 } },
  ]);
});

it("a yield keeps its text, except for line breaks between its tokens", async () => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  await scene.worker.streamText(id, '{"output": {"a": 1.0, "b": "\\n"}}');
  await scene.worker.streamText(id, '{"output": {\r\n  "a": [1.0,\n 2],  "b": "\\n \\" {" }\n}');
  const { text } = await streamOf(scene, id);
  expect(text).toContain('{"output":{"a": 1.0, "b": "\\n"},');
  expect(text).toContain('{"output":{"a":[1.0,2],"b":"\\n \\" {"},');
});

describe("a yield of more than 1 MB", () => {
  const large = { text: "ä\\\n".repeat(400_000), numbers: [1, 2, 3] };

  /** A scene with a finished job that yielded it and a small value. */
  async function yielded() {
    const scene = await LiveScene.set();
    const { id } = await scene.handOut();
    const text = JSON.stringify({ output: large }, undefined, 1);
    expect((await scene.worker.streamText(id, text)).status).toBe(200);
    await scene.worker.stream(id, "next");
    await scene.worker.done(id, { output: [] }, true);
    return { scene, id };
  }

  it.each(["", "/live"])("is whole in our client at the base %j", async (base) => {
    const { scene, id } = await yielded();
    await using _ = scene;
    const baseUrl = `${scene.service.url}${base}`;
    const client = createClient({ baseUrl, apiKey: USER_KEY });
    const outputs = [];
    for await (const { output } of client.endpoint("echo").stream(id)) outputs.push(output);
    expect(outputs).toEqual([large, "next"]);
    await client.close();
  });

  it("is sent in parts of at most 1 MB that say how to join them, in both dialects alike", async () => {
    const { scene, id } = await yielded();
    await using _ = scene;
    const chunks: RawChunk[] = [];
    // An answer may end before the last chunk, and then has no final status.
    for (let status: string | undefined; status !== "COMPLETED";) {
      const path = `v2/echo/stream/${id}?from=${chunks.length}`;
      const { json } = await scene.service.call("GET", `/${path}`);
      const live = await scene.service.call("GET", `/live/${path}`);
      expect(live.json).toEqual({ status: expect.any(String), stream: json });
      expect(json).not.toEqual([]);
      chunks.push(...(json as readonly RawChunk[]));
      ({ status } = live.json as { readonly status: string });
    }
    expect(chunks.length).toBeGreaterThan(2);
    for (const { output } of chunks)
      expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(LIMITS.chunkMaxBytes);
    expect(chunks[0]?.metrics).toEqual({
      stream_index: 0,
      split: { part: 0, continues: 0, last: false },
    });
    expect(chunks.at(-1)).toEqual({
      output: "next",
      metrics: { stream_index: chunks.length - 1 },
    });
    expect(joinChunks(chunks).map(({ output }) => output)).toEqual([large, "next"]);
  });

  it("is reassembled by the live service's own client", async () => {
    const { scene, id } = await yielded();
    await using _ = scene;
    const baseUrl = `${scene.service.url}/live/v2`;
    const endpoint = runpodSdk(USER_KEY, { baseUrl }).endpoint("echo");
    const chunks = (await Array.fromAsync(endpoint?.stream(id) ?? [])) as RawChunk[];
    expect(joinChunks(chunks).map(({ output }) => output)).toEqual([large, "next"]);
  });
});

it.each([
  ["that is no JSON", '{"output": Infinity}', "not valid JSON"],
  ["without an output", "{}", "output is required"],
  ["that cannot be split", `{"output": {"${"k".repeat(1_200_000)}": 1}}`, "cannot be split"],
  ["larger than any output", `{"output": "${"x".repeat(22_000_000)}"}`, "must be at most"],
])("a yield %s is refused, and the stream continues", async (_name, text, reason) => {
  await using scene = await LiveScene.set();
  const { id } = await scene.handOut();
  const refused = await scene.worker.streamText(id, text);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain(reason);
  await scene.worker.stream(id, "next");
  expect((await streamOf(scene, id)).json).toEqual([
    { output: "next", metrics: { stream_index: 0 } },
  ]);
});
