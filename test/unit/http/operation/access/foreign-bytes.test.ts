/** Content from users, handlers and worker servers is sandboxed: its scripts cannot run in the dashboard's origin. */
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { createServer } from "node:http";
import path from "node:path";
import { request } from "undici";
import { expect, it } from "vitest";
import { CONTRACT_DIALECT } from "../../../../../emulator/http/operation/dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "../../../../../emulator/http/operation/dialects/live-dialect.ts";
import { REST_V2_DIALECT } from "../../../../../emulator/http/management/rest-v2/rest-v2-dialect.ts";
import { askGraphql } from "../../../../../emulator/http/management/graphql-handler.ts";
import { type Operation, routesOf } from "../../../../../emulator/http/operation/operation.ts";
import { NOT_SERVED_OPERATIONS } from "../../../../../emulator/http/management/rest-v2/not-served.ts";
import { operationsOf } from "../../../../../emulator/http/router.ts";
import { closeServer } from "../../../../../emulator/net/close-server.ts";
import { listen } from "../../../../../emulator/net/listen.ts";
import { holderLookup } from "../../../../../emulator/objects/access-keys.ts";
import { DiskObjectStore } from "../../../../../emulator/objects/disk/disk-object-store.ts";
import { ObjectRequests } from "../../../../../emulator/objects/server/object-requests.ts";
import { put } from "../../../../contract/objects/subject.ts";
import { temporaryDirectory } from "../../../../setup/temporary-directory.ts";
import { startBalancedHttp } from "../../balancing/balanced-harness.ts";
import { KEY, startTestHttp } from "../../http-harness.ts";
import { assertSandboxed, isSandboxed } from "../../sandboxed.ts";

const PAGE = "<script>fetch('/emulator/keys', { method: 'POST' })</script>";

const CREDENTIALS = { accessKeyId: "SVTESTACCESSKEY00001", secretAccessKey: "secret" };

/** All paths at which a browser can call an operation, in all dialects. Operations of workers answer late. */
function places() {
  return [CONTRACT_DIALECT, LIVE_DIALECT, REST_V2_DIALECT].flatMap((dialect) => {
    const others = dialect === REST_V2_DIALECT ? NOT_SERVED_OPERATIONS : { askGraphql };
    const operations: Record<string, Operation> = { ...operationsOf(dialect), ...others };
    return Object.entries(operations).flatMap(([name, operation]) =>
      routesOf(operation).flatMap(({ methods, path: below }) =>
        methods.map((method) => {
          const url = `${dialect.basePath}${below}`.replaceAll(/:\w+|\*/gu, "x");
          return { name, method, url };
        }),
      ),
    );
  });
}

it("every operation in every dialect answers inside a sandbox, except the service's own pages", async () => {
  await using service = await startTestHttp();
  const unsandboxed = new Set<string>();
  for (const { name, method, url } of places()) {
    const { headers, body } = await ask(`${service.url}${url}`, method, { accept: "text/html" });
    body.on("error", () => undefined).destroy();
    assertSandboxed(`${method} ${url}`, headers);
    if (!isSandboxed(headers)) unsandboxed.add(name);
  }
  expect([...unsandboxed]).toEqual(["readDocs"]);
});

it("answers to unknown paths, wrong methods, unknown hosts and malformed requests are sandboxed", async () => {
  await using service = await startTestHttp();
  for (const line of ["GET /nothing HTTP/1.1", "GET /%zz HTTP/1.1", "PUT /health HTTP/1.1"]) {
    const answer = await service.raw(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer, line).toMatch(/^content-security-policy: sandbox\r$/mu);
    expect(answer, line).toMatch(/^x-content-type-options: nosniff\r$/mu);
  }
  for (const bytes of [
    "GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n",
    "<script>\r\n\r\n",
  ]) {
    const answer = await service.raw(bytes);
    expect(answer, bytes).toMatch(/^content-security-policy: sandbox\r$/mu);
    expect(answer, bytes).toMatch(/^x-content-type-options: nosniff\r$/mu);
  }
});

it("a worker server's answer below /lb is sandboxed, whatever its own policy says", async () => {
  await using balanced = await startBalancedHttp();
  const own = {
    "content-type": "text/html",
    "Content-Security-Policy": "script-src *",
    "X-Content-Type-Options": "sniff",
  };
  balanced.server.on("request", (_request, response) => response.writeHead(200, own).end(PAGE));
  const { headers, body } = await ask(`${balanced.service.url}/lb/web/`, "GET");
  expect(await body.text()).toBe(PAGE);
  expect(headers["content-security-policy"]).toEqual(["script-src *", "sandbox"]);
  expect(headers["x-content-type-options"]).toBe("nosniff");
});

it("a page that a worker's server sends in answer to an upgrade request is sandboxed", async () => {
  await using balanced = await startBalancedHttp();
  balanced.server.on("request", (_request, response) => response.end(PAGE));
  balanced.server.on("upgrade", (_request, socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n${PAGE}`),
  );
  const asked = ["Host: x", `Authorization: ${KEY}`, "Connection: Upgrade", "Upgrade: websocket"];
  const answer = await balanced.service.raw(
    `GET /lb/web/ HTTP/1.1\r\n${asked.join("\r\n")}\r\n\r\n`,
  );
  expect(answer).toContain(PAGE);
  expect(answer).toMatch(/^content-security-policy: sandbox\r$/imu);
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/imu);
});

it("a worker's server below /lb cannot set the dashboard's cookie or clear data of its origin", async () => {
  await using balanced = await startBalancedHttp();
  const cookies = ["sv-session=mine; Path=/", "sv-session-80=mine", "theirs=1"];
  const own = { "Set-Cookie": cookies, "Clear-Site-Data": '"*"', "Service-Worker-Allowed": "/" };
  balanced.server.on("request", (_request, response) => response.writeHead(200, own).end());
  const below = await ask(`${balanced.service.url}/lb/web/`, "GET");
  expect(below.headers["set-cookie"]).toBe("theirs=1");
  expect(below.headers).not.toHaveProperty("clear-site-data");
  expect(below.headers).not.toHaveProperty("service-worker-allowed");
});

it("a load balancing endpoint with its own host name is its own origin, without a sandbox", async () => {
  await using balanced = await startBalancedHttp();
  const own = { "content-type": "text/html", "Content-Security-Policy": "script-src *" };
  balanced.server.on("request", (_request, response) => response.writeHead(200, own).end(PAGE));
  const { headers } = await ask(`${balanced.service.url}/`, "GET", { host: "web.localhost" });
  expect(headers["content-security-policy"]).toBe("script-src *");
});

it("object store answers are sandboxed, also for presigned URLs, ranges and overridden headers", async () => {
  await using mounted = await mountedStore();
  const { client, url } = mounted;
  const named = { Bucket: "bucket", Key: "page.html" };
  const signed = (overrides: object) =>
    getSignedUrl(client, new GetObjectCommand({ ...named, ...overrides }));
  const addresses = [
    await signed({}),
    await signed({ ResponseContentType: "image/svg+xml", ResponseContentDisposition: "inline" }),
    await signed({ ResponseContentType: "application/xhtml+xml" }),
    `${await signed({})}0`,
    `${url}/bucket?list-type=2`,
    `${url}/bucket/<script>`,
  ];
  for (const address of addresses) {
    for (const headers of [{}, { range: "bytes=0-9" }, { "if-none-match": "*" }]) {
      const answer = await ask(address, "GET", headers);
      await answer.body.dump();
      expect(isSandboxed(answer.headers), `${answer.statusCode} ${address}`).toBe(true);
      assertSandboxed(address, answer.headers);
    }
  }
});

function ask(url: string, method: string, headers: Readonly<Record<string, string>> = {}) {
  return request(url, {
    method: method as "GET",
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
}

interface MountedStore extends AsyncDisposable {
  readonly client: S3Client;
  readonly url: string;
}

/** A store below `/s3`, as on the port of the service, that holds a page. */
async function mountedStore(): Promise<MountedStore> {
  const temporary = temporaryDirectory();
  const directory = path.join(temporary.path, "objects");
  const store = new DiskObjectStore({ directory, now: Date.now });
  store.createBucket("bucket");
  const attributes = { headers: { "content-type": "text/html" } };
  await put(store.bucket("bucket"), "page.html", PAGE, attributes);
  const log = { warn: () => undefined, error: () => undefined };
  const holderOf = holderLookup(CREDENTIALS);
  const requests = new ObjectRequests({ store, holderOf, now: Date.now, log });
  const server = createServer(requests.listener("/s3"));
  const url = `http://127.0.0.1:${await listen(server, { host: "127.0.0.1", port: 0 })}/s3`;
  const options = { endpoint: url, region: "us-east-1", forcePathStyle: true };
  const client = new S3Client({ ...options, credentials: CREDENTIALS });
  return {
    client,
    url,
    async [Symbol.asyncDispose]() {
      client.destroy();
      await closeServer(server, 0);
      await store.close();
      temporary[Symbol.dispose]();
    },
  };
}
