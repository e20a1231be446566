/** Connections: unwanted bodies, clients that leave, invalid requests, the end of the store. */
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { pattern, put } from "../../contract/objects/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { BUCKET, type S3Harness, s3Harness } from "./s3-harness.ts";
import { type RawAsk, signedFetch, signedRequest } from "./signed-fetch.ts";

const path = `/${BUCKET}/a`;

/** A request with a body that the test sends. */
async function opened(s3: S3Harness, ask: RawAsk, agent?: http.Agent) {
  const { url, method, headers } = await signedRequest(s3, { method: "PUT", ...ask });
  const sent = Object.fromEntries(headers);
  return http.request(url, { method, headers: sent, ...(agent && { agent }) });
}

async function answerOf(request: http.ClientRequest) {
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return { status: response.statusCode, text: await text(response), headers: response.headers };
}

it("a refused large body is not read to its end, and the client sees the reason", async () => {
  await using s3 = await s3Harness();
  const request = await opened(s3, { path: "/none/a", headers: { "content-length": "20000000" } });
  const answer = answerOf(request);
  request.end(Buffer.alloc(20_000_000));
  expect(await answer).toMatchObject({
    status: 404,
    text: expect.stringContaining("<Code>NoSuchBucket</Code>"),
    headers: { connection: "close" },
  });
});

it("a body is requested only after the request was checked", async () => {
  await using s3 = await s3Harness();
  const headers = { expect: "100-continue", "content-length": "5" };
  const good = await opened(s3, { path, headers });
  const continued = once(good, "continue");
  good.flushHeaders();
  await continued;
  const answer = answerOf(good);
  good.end("hello");
  expect(await answer).toMatchObject({ status: 200 });
  const bad = await opened(s3, { path: "/none/a", headers });
  let isAsked = false;
  bad.on("continue", () => (isAsked = true));
  const refusal = answerOf(bad);
  bad.flushHeaders();
  expect(await refusal).toMatchObject({ status: 404 });
  bad.destroy();
  expect(isAsked).toBe(false);
});

it("a client that disconnects during an upload leaves nothing behind, and no line in the log", async () => {
  using temporary = temporaryDirectory();
  const s3 = await s3Harness({ directory: temporary.path });
  const request = await opened(s3, { path, headers: { "content-length": "1000000" } });
  request.on("error", () => undefined);
  await new Promise((resolve) => request.write(Buffer.alloc(500_000), resolve));
  const gone = new Promise((resolve) => request.once("close", resolve));
  request.destroy();
  await gone;
  expect(await signedFetch(s3, { path })).toMatchObject({ status: 404, code: "NoSuchKey" });
  await s3[Symbol.asyncDispose]();
  expect(s3.logged).toEqual([]);
  expect(fs.readdirSync(`${temporary.path}/blobs`)).toEqual([]);
});

it("a reader that disconnects during a download does no harm", async () => {
  await using s3 = await s3Harness();
  await put(s3.store.bucket(BUCKET), "a", pattern(5_000_000));
  const { url, headers } = await signedRequest(s3, { path });
  const request = http.get(url, { headers: Object.fromEntries(headers) });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  await once(response, "data");
  response.on("error", () => undefined);
  response.destroy();
  expect((await signedFetch(s3, { path, headers: { range: "bytes=0-3" } })).status).toBe(206);
  expect(s3.logged).toEqual([]);
});

it("a connection serves one request after another, also after refusals", async () => {
  await using s3 = await s3Harness();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const asks: readonly (readonly [RawAsk, string, number])[] = [
    [{ path, headers: { "content-length": "5" } }, "hello", 200],
    [{ path, method: "GET" }, "", 200],
    [{ path: "/none/a", method: "GET" }, "", 404],
    [{ path, method: "HEAD" }, "", 200],
    [{ path: "/none/a", method: "HEAD" }, "", 404],
    [{ path, method: "GET", headers: { range: "bytes=1-2" } }, "", 206],
    [{ path, method: "DELETE" }, "", 204],
  ];
  for (const [ask, body, status] of asks) {
    const request = await opened(s3, ask, agent);
    const answer = answerOf(request);
    request.on("socket", (socket: net.Socket) => ports.add(socket.localPort));
    request.end(body);
    expect(await answer).toMatchObject({ status });
  }
  agent.destroy();
  expect(ports.size).toBe(1);
});

it("a HEAD returns the length of the object without a body, also for a missing object", async () => {
  await using s3 = await s3Harness();
  await put(s3.store.bucket(BUCKET), "a", "0123456789");
  const there = await signedFetch(s3, { method: "HEAD", path });
  expect(there).toMatchObject({ status: 200, text: "" });
  expect(there.headers.get("content-length")).toBe("10");
  const missing = await signedFetch(s3, { method: "HEAD", path: `${path}b` });
  expect(missing).toMatchObject({ status: 404, text: "" });
});

it("an invalid request, and a request without an address, are refused", async () => {
  await using s3 = await s3Harness();
  const { port } = new URL(s3.url);
  for (const line of [
    "nonsense",
    "GET http://elsewhere/bucket/a HTTP/1.1\r\nHost: x\r\nConnection: close",
  ]) {
    const socket = net.connect(Number(port), "127.0.0.1");
    socket.write(`${line}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  }
});

it("an error has only the problem, the resource and an id", async () => {
  await using s3 = await s3Harness();
  const { text: document, headers } = await signedFetch(s3, { path: `/${BUCKET}/a<b>&c` });
  const id = headers.get("x-amz-request-id") ?? "";
  expect(id).toMatch(/^[0-9A-F]{16}$/);
  expect(document).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code>' +
      "<Message>the bucket has no object with this key</Message>" +
      `<Resource>/bucket/a%3Cb%3E%26c</Resource><RequestId>${id}</RequestId>` +
      "<Key>a&lt;b&gt;&amp;c</Key></Error>",
  );
  expect(headers.get("content-type")).toBe("application/xml");
});

it("a defect is answered with an id that the log explains, and the store continues", async () => {
  await using s3 = await s3Harness();
  await put(s3.store.bucket(BUCKET), "a", "x");
  const bucket = s3.store.bucket(BUCKET);
  bucket.delete = async () => {
    throw new Error("a defect");
  };
  const answer = await signedFetch(s3, { method: "DELETE", path });
  expect(answer).toMatchObject({ status: 500, code: "InternalError" });
  const id = answer.headers.get("x-amz-request-id") ?? "none";
  expect(answer.text).toContain(id);
  expect(answer.text).not.toContain("a defect");
  expect(s3.logged.filter((line) => line.includes(id) && line.includes("a defect"))).toHaveLength(
    1,
  );
  expect((await signedFetch(s3, { path })).status).toBe(200);
});

it("running answers are completed when the store stops", async () => {
  const s3 = await s3Harness();
  await put(s3.store.bucket(BUCKET), "a", pattern(3_000_000));
  const { url, headers } = await signedRequest(s3, { path });
  const response = await fetch(url, { headers });
  const stopping = s3[Symbol.asyncDispose]();
  expect((await response.arrayBuffer()).byteLength).toBe(3_000_000);
  await stopping;
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

it("a wrong clock is reported as such, and a client may use another region", async () => {
  await using s3 = await s3Harness();
  const elsewhere = s3.clientWith({ region: "eu-west-3" });
  await elsewhere.send(new PutObjectCommand({ Bucket: BUCKET, Key: "a", Body: "x" }));
  s3.clock.offsetMs = 16 * 60_000;
  const put16MinutesLater = s3.client.send(
    new PutObjectCommand({ Bucket: BUCKET, Key: "b", Body: "x" }),
  );
  await expect(put16MinutesLater).rejects.toHaveProperty("name", "RequestTimeTooSkewed");
});

it("another secret, another id and no signature at all are refused", async () => {
  await using s3 = await s3Harness();
  const credentials = (accessKeyId: string, secretAccessKey: string) => ({
    credentials: { accessKeyId, secretAccessKey },
  });
  const command = new PutObjectCommand({ Bucket: BUCKET, Key: "a", Body: "x" });
  const wrongSecret = s3.clientWith(credentials("SVTESTACCESSKEY00001", "guess"));
  await expect(wrongSecret.send(command)).rejects.toMatchObject({
    name: "SignatureDoesNotMatch",
    $metadata: { httpStatusCode: 403 },
  });
  const wrongId = s3.clientWith(credentials("SVSOMEBODYELSE", "guess"));
  await expect(wrongId.send(command)).rejects.toHaveProperty("name", "InvalidAccessKeyId");
  const unsigned = s3.clientWith({ signer: { sign: async (request) => request } });
  await expect(unsigned.send(command)).rejects.toHaveProperty("name", "AccessDenied");
  const preflight = await fetch(`${s3.url}${path}`, { method: "OPTIONS" });
  expect(preflight.status).toBe(403);
});
