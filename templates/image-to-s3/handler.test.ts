// The handler with a bucket in memory, then with the object store of the whole service.
import sharp from "sharp";
import { createClient } from "sv-runtime/client";
import { startEmulator } from "sv-runtime/emulator";
import { runHandler } from "sv-runtime/testing";
import { expect, test } from "vitest";
import handler from "./handler.ts";

test("uploads a PNG of the size that is asked for", async () => {
  const run = await runHandler(handler, { prompt: "the sea", width: 64, height: 32 });
  const [upload] = run.uploads;
  expect(upload).toMatchObject({ key: "test-job/image.png", contentType: "image/png" });
  const image = await sharp(upload?.body).metadata();
  expect(image).toMatchObject({ format: "png", width: 64, height: 32 });
  expect(run.progress.at(-1)).toEqual({ percent: 100 });
});

test("paints the same for the same prompt, and something else for another", async () => {
  const paint = async (prompt: string) => {
    const { uploads } = await runHandler(handler, { prompt, width: 16, height: 16 });
    return uploads[0]?.body;
  };
  expect(await paint("the sea")).toEqual(await paint("the sea"));
  expect(await paint("the sea")).not.toEqual(await paint("the wood"));
});

test("clients of the service can open the address they get", async () => {
  await using emulator = await startEmulator({
    port: 0,
    apiKey: "test-key",
    handlers: [{ id: "my-endpoint", path: `${import.meta.dirname}/handler.ts` }],
  });
  await using client = createClient({ baseUrl: emulator.url, apiKey: "test-key" });
  const endpoint = client.endpoint<typeof handler>("my-endpoint");
  const { output } = await endpoint.runSync({ prompt: "the sea", width: 64, height: 32 });
  const image = await fetch(output.url);
  expect(image.headers.get("content-type")).toBe("image/png");
  expect(await image.bytes()).toHaveLength(output.bytes);
}, 60_000);
