/** Addresses and headers for readers of objects: another name of the service, what browsers do, how long caches keep it. */
import { expect, test } from "vitest";
import { typeOfEnding } from "../../../../runtime/storage/upload/content-type.ts";
import { FakeS3 } from "./fake-s3.ts";
import { PART, storeOn } from "./store-on.ts";

test("an uploaded object has its public address, and is fetched from the other one", async () => {
  await using fake = await FakeS3.start();
  const { store, upload } = storeOn(fake.url, 1, { publicUrl: "https://files.test/s3/" });
  const { url } = await upload("a b.txt", "x");
  expect(url).toMatch(/^https:\/\/files\.test\/s3\/b\/a%20b\.txt\?.*X-Amz-Signature=/u);
  const signal = new AbortController().signal;
  const { stream } = await store.get("a b.txt", { idleTimeoutMs: 1_000, signal });
  expect(await stream.toArray()).toEqual([Buffer.from("x")]);
});

test("a public address of a service that wants the bucket in the host has it there", async () => {
  await using fake = await FakeS3.start();
  const publicUrl = "https://s3.eu-west-1.amazonaws.com";
  const settings = { publicUrl, region: "eu-west-1", bucketName: "my-bucket" };
  const { url } = await storeOn(fake.url, 1, settings).upload("k", "x");
  expect(url).toMatch(/^https:\/\/my-bucket\.s3\.eu-west-1\.amazonaws\.com\/k\?.*eu-west-1%2Fs3/u);
});

test.each([
  ["at once", Buffer.from("x")],
  ["in parts", Buffer.alloc(PART + 1)],
])("disposition and caching are stored with an object that is sent %s", async (_, body) => {
  await using fake = await FakeS3.start();
  const headers = {
    contentDisposition: `attachment; filename*=UTF-8''%C3%BC.pdf`,
    cacheControl: "public, max-age=60",
  };
  await storeOn(fake.url).upload("k.pdf", body, { ...headers, partSizeBytes: PART });
  expect(fake.objects.get("k.pdf")).toMatchObject({ ...headers, contentType: "application/pdf" });
});

test.each(["contentDisposition", "cacheControl"])("%s must be printable", async (name) => {
  await using fake = await FakeS3.start();
  const upload = storeOn(fake.url).upload("k", "x", { [name]: "attachment; filename=ü" });
  await expect(upload).rejects.toThrow(`\`${name}\` must be a string of printable ASCII`);
});

test.each([
  ["model.onnx", "application/octet-stream"],
  ["rows.jsonl", "application/jsonl"],
  ["rows.PARQUET", "application/vnd.apache.parquet"],
  ["song.flac", "audio/flac"],
  ["video.mkv", "video/x-matroska"],
  ["scene.ply", "model/ply"],
  ["scene.glb", "model/gltf-binary"],
  ["page.html", "text/html"],
  ["weights.safetensors", undefined],
  ["constructor", undefined],
])("%s has the type %s", (key, type) => {
  expect(typeOfEnding(key)).toBe(type);
});
