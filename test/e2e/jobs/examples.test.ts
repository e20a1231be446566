/** The examples as a user runs them: one emulator process serves the directory, the client calls it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { once } from "node:events";
import sharp from "sharp";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Thumbnails } from "../../../examples/thumbnails/handler.ts";
import type { TokensChunk } from "../../../examples/tokens/handler.ts";
import { createClient, type Client } from "../../../runtime/client/index.ts";
import { startEmulatorProcess, type EmulatorProcess } from "../emulator-process.ts";
import { processesMarked } from "./observe.ts";
import { sized } from "../../setup/size.ts";

const examples = path.resolve(import.meta.dirname, "../../../examples");
const mark = { name: "SERVES_EXAMPLES", value: crypto.randomUUID() };

let emulator: EmulatorProcess;
let client: Client;

beforeAll(async () => {
  const args = [examples, "--ephemeral"];
  emulator = await startEmulatorProcess({ args, env: { [mark.name]: mark.value } });
  client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
});

afterAll(async () => {
  await client.close();
  assert.deepEqual(await emulator.stop(), { code: 0, signal: null });
  assert.deepEqual(processesMarked(`${mark.name}=${mark.value}`), []);
});

test("hello greets", async () => {
  const { output } = await client.endpoint("hello").runSync({ name: "Ada" });
  expect(output).toEqual({ greeting: "Hello, Ada!" });
});

test.each(
  [
    ["base64", ""],
    ["a data URL", "data:image/jpeg;base64,"],
  ].slice(0, sized(1, 2)),
)("thumbnails makes the requested variants of a photograph sent as %s", async (_form, head) => {
  const photo = await readFile(path.join(examples, "thumbnails/photo.jpg"));
  const { autoOrient } = await sharp(photo).metadata();
  const { output, executionTime } = await client
    .endpoint<unknown, Thumbnails>("thumbnails")
    .runSync({
      image: head + photo.toString("base64"),
      sizes: [320, { width: 96, height: 64 }],
      formats: ["png", "webp"],
    });
  expect(output.source).toEqual({
    width: autoOrient.width,
    height: autoOrient.height,
    format: "jpeg",
    bytes: photo.length,
  });
  const decoded = await Promise.all(
    output.variants.map(async ({ url, bytes }) => {
      const opened = await fetch(url);
      expect(opened.headers.get("content-type")).toMatch(/^image\/(png|webp)$/u);
      const file = Buffer.from(await opened.arrayBuffer());
      expect(file).toHaveLength(bytes);
      // All pixels are read, not only the header.
      const { info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
      const { format } = await sharp(file).metadata();
      return { format, width: info.width, height: info.height };
    }),
  );
  const height = Math.round((320 * autoOrient.height) / autoOrient.width);
  expect(decoded).toEqual([
    { format: "png", width: 320, height },
    { format: "webp", width: 320, height },
    { format: "png", width: 96, height: 64 },
    { format: "webp", width: 96, height: 64 },
  ]);
  console.log(`figure: four variants of the photograph took ${executionTime} ms`);
});

test("tokens streams in order and without gaps while the job runs", async () => {
  const count = 250;
  const tokens = client.endpoint<unknown, undefined, TokensChunk>("tokens");
  const startedAt = performance.now();
  const { id } = await tokens.run({ prompt: "It was", maxTokens: count, delayMs: 10, seed: 1 });
  const stream = tokens.stream(id);
  const first = await stream.next();
  const firstMs = performance.now() - startedAt;
  expect((await tokens.status(id)).status).toBe("IN_PROGRESS");
  if (first.done === true) throw new Error("the stream has no chunk");

  const chunks = [first.value];
  for await (const chunk of stream) chunks.push(chunk);
  const oneToCount = Array.from({ length: count }, (_, index) => index + 1);
  expect(chunks.map(({ output }) => output.output_tokens)).toEqual(oneToCount);
  expect(chunks.map(({ metrics }) => metrics.stream_index + 1)).toEqual(oneToCount);
  expect(new Set(chunks.map(({ output }) => output.input_tokens)).size).toBe(1);
  const job = await tokens.status(id);
  expect(job.status).toBe("COMPLETED");
  expect(job).not.toHaveProperty("output");
  console.log(
    `figure: first of ${count} tokens after ${firstMs.toFixed(0)} ms, the last after ${(performance.now() - startedAt).toFixed(0)} ms`,
  );
});

test("http-server counts up by server-sent events, and its WebSocket echoes", async () => {
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const counted = await fetch(`${emulator.url}/lb/http-server/count?to=3`, { headers });
  expect(counted.headers.get("content-type")).toBe("text/event-stream");
  expect(await counted.text()).toBe("data: 1\n\ndata: 2\n\ndata: 3\n\n");

  const address = `${emulator.url.replace("http:", "ws:")}/lb/http-server/echo`;
  const socket = new WebSocket(address, { headers });
  await once(socket, "open");
  for (const size of [1, 125, 126, 65_535, 65_536, 1_000_000]) {
    const message = Buffer.alloc(size, "é");
    socket.send(message);
    const [echo] = (await once(socket, "message")) as [Buffer];
    expect(echo.equals(message)).toBe(true);
  }
  socket.close(1000);
  expect((await once(socket, "close"))[0]).toBe(1000);
});
