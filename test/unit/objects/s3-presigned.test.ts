/** URLs that the SDK presigns, used without credentials. */
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { expect, it } from "vitest";
import { put, textAt } from "../../contract/objects/subject.ts";
import { BUCKET, s3Harness } from "./s3-harness.ts";

const target = { Bucket: BUCKET, Key: "a b/ü&+.txt" };

it("an address to put an object accepts any body", async () => {
  await using s3 = await s3Harness();
  const command = new PutObjectCommand({
    ...target,
    ContentType: "text/plain",
    Metadata: { a: "b" },
  });
  const url = await getSignedUrl(s3.client, command);
  const response = await fetch(url, {
    method: "PUT",
    body: "content",
    headers: { "content-type": "text/plain" },
  });
  expect(response.status).toBe(200);
  const head = await s3.client.send(new HeadObjectCommand(target));
  expect(head).toMatchObject({ ContentType: "text/plain", Metadata: { a: "b" }, ContentLength: 7 });
});

it("an address to get an object returns it, or a range of it, with the requested headers", async () => {
  await using s3 = await s3Harness();
  await put(s3.store.bucket(BUCKET), target.Key, "0123456789");
  const command = new GetObjectCommand({ ...target, ResponseContentType: "image/png" });
  const url = await getSignedUrl(s3.client, command, { expiresIn: 604_800 });
  const whole = await fetch(url);
  expect(whole.headers.get("content-type")).toBe("image/png");
  expect(await whole.text()).toBe("0123456789");
  const part = await fetch(url, { headers: { range: "bytes=0-1" } });
  expect(await part.text()).toBe("01");
});

it("an address to put a part accepts the part", async () => {
  await using s3 = await s3Harness();
  const { uploads } = s3.store.bucket(BUCKET);
  const upload = await uploads.create(target.Key, { headers: {}, metadata: {} });
  const command = new UploadPartCommand({ ...target, UploadId: upload.id, PartNumber: 1 });
  const response = await fetch(await getSignedUrl(s3.client, command), {
    method: "PUT",
    body: "part",
  });
  expect(response.status).toBe(200);
  await uploads.complete(upload, { numbers: [1] });
  expect(await textAt(s3.store.bucket(BUCKET), target.Key)).toBe("part");
});

it("an address is valid for one method, one object and a limited time", async () => {
  await using s3 = await s3Harness();
  await put(s3.store.bucket(BUCKET), target.Key, "x");
  await put(s3.store.bucket(BUCKET), "other", "x");
  const url = await getSignedUrl(s3.client, new GetObjectCommand(target), { expiresIn: 3_600 });
  const statusOf = async (address: string, method = "GET") =>
    (await fetch(address, { method })).status;
  expect(await statusOf(url)).toBe(200);
  expect(await statusOf(url, "DELETE")).toBe(403);
  expect(await statusOf(url, "PUT")).toBe(403);
  const elsewhere = new URL(url);
  elsewhere.pathname = `/${BUCKET}/other`;
  expect(await statusOf(elsewhere.href)).toBe(403);
  // Its date is in whole seconds, and the requests before take a moment.
  s3.clock.offsetMs = 3_590_000;
  expect(await statusOf(url)).toBe(200);
  s3.clock.offsetMs = 3_602_000;
  const late = await fetch(url);
  expect(late.status).toBe(403);
  expect(await late.text()).toContain("the request has expired");
});

it("metadata in an address that is not valid in a header is refused", async () => {
  await using s3 = await s3Harness();
  for (const metadata of [{ a: "日本" }, { a: "b\nc" }]) {
    const command = new PutObjectCommand({ ...target, Metadata: metadata });
    const url = await getSignedUrl(s3.client, command);
    const response = await fetch(url, { method: "PUT", body: "x" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("<Code>InvalidArgument</Code>");
  }
});
