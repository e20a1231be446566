/** The interface over TLS, with real sockets. */
import { once } from "node:events";
import { connect as connectPlainly, type Socket } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCertificate, type TestCertificate } from "../../setup/certificates.ts";
import { TextReader } from "./operation/answers/text-reader.ts";
import { startBalancedHttp } from "./balancing/balanced-harness.ts";
import { KEY, startTestHttp, type TestHttp } from "./http-harness.ts";

const ONE = makeCertificate();
const OTHER = makeCertificate();
const AUTH = `authorization: Bearer ${KEY}`;

/** Certificate and key in the server's form. */
function taken({ cert, key }: TestCertificate) {
  return { cert: Buffer.from(cert), key: Buffer.from(key), warning: undefined };
}

/** A connection of a client that trusts only `certificate`. */
async function open(
  { url }: Pick<TestHttp, "url">,
  { cert }: TestCertificate = ONE,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({
    host: "127.0.0.1",
    port: Number(new URL(url).port),
    ca: cert,
    ...options,
  });
  await once(socket, "secureConnect");
  return socket;
}

function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, "host: localhost", AUTH, ...headers, "", ""].join("\r\n");
}

async function ask(service: TestHttp, line: string, ...headers: readonly string[]) {
  const socket = await open(service);
  socket.write(head(line, ...headers, "connection: close"));
  return new TextReader(socket).rest();
}

describe("a service with a certificate", () => {
  let service: TestHttp;
  beforeEach(async () => {
    service = await startTestHttp({ certificate: taken(ONE), dashboard: "on" });
  });
  afterEach(async () => service[Symbol.asyncDispose]());

  it("answers over HTTPS, and has https in its addresses", async () => {
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/u);
    expect(service.http.dashboardLink(service.url)).toMatch(/^https:/u);
    expect(await ask(service, "GET /v2/echo/health")).toMatch(/^HTTP\/1\.1 200 /u);
    const page = "origin: https://localhost";
    expect(await ask(service, "GET /v2/echo/health", page)).toMatch(/^HTTP\/1\.1 200 /u);
  });

  it("accepts TLS 1.2 and 1.3, with HTTP/1.1", async () => {
    const protocols = [];
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const versions = { minVersion: version, maxVersion: version };
      const socket = await open(service, ONE, { ...versions, ALPNProtocols: ["h2", "http/1.1"] });
      protocols.push([socket.getProtocol(), socket.alpnProtocol]);
      socket.destroy();
    }
    expect(protocols).toEqual([
      ["TLSv1.2", "http/1.1"],
      ["TLSv1.3", "http/1.1"],
    ]);
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const;
    await expect(open(service, ONE, old)).rejects.toThrow("protocol version");
  });

  it("ends a connection without TLS, and keeps serving others", async () => {
    const plain = connectPlainly(Number(new URL(service.url).port), "127.0.0.1");
    plain.on("error", () => undefined).resume();
    plain.write(head("GET /v2/echo/health"));
    await once(plain, "close");
    expect(await ask(service, "GET /v2/echo/health")).toMatch(/^HTTP\/1\.1 200 /u);
  });

  it("answers an invalid request with the reason", async () => {
    const socket = await open(service);
    socket.write("no request\r\n\r\n");
    expect(await new TextReader(socket).rest()).toMatch(/^HTTP\/1\.1 400 [^]*invalid_header/u);
  });

  it("gives new connections the new certificate, while open connections continue", async () => {
    const before = await open(service);
    service.http.useCertificate(taken(OTHER));
    (await open(service, OTHER)).destroy();
    await expect(open(service, ONE)).rejects.toThrow("self-signed");
    before.write(head("GET /v2/echo/health", "connection: close"));
    expect(await new TextReader(before).rest()).toMatch(/^HTTP\/1\.1 200 /u);
  });

  it("gives the dashboard a cookie for HTTPS only", async () => {
    const link = new URL(service.http.dashboardLink(service.url) ?? "");
    const body = JSON.stringify({ ticket: link.searchParams.get("ticket") });
    const own = [
      "origin: https://localhost",
      "x-sv-dashboard: 1",
      `content-length: ${body.length}`,
    ];
    const socket = await open(service);
    socket.write(`${head("POST /emulator/session", ...own, "connection: close")}${body}`);
    expect(await new TextReader(socket).rest()).toMatch(/^set-cookie: .*; Secure\r$/imu);
  });
});

describe("a load balancing endpoint", () => {
  const websocket = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
  const SWITCHING =
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

  it("gets the information that it was called over HTTPS", async () => {
    await using web = await startBalancedHttp({ certificate: taken(ONE) });
    web.server.on("request", ({ headers }, response) => response.end(headers["x-forwarded-proto"]));
    expect(await ask(web.service, "GET /lb/web/")).toMatch(/\r\n\r\n(?:5\r\n)?https/u);
  });

  it("accepts a WebSocket, and its halves close separately", async () => {
    await using web = await startBalancedHttp({ certificate: taken(ONE) });
    web.server.on("upgrade", (_request, socket) => {
      socket.write(SWITCHING);
      let heard = "";
      socket.on("data", (piece: Buffer) => (heard += piece.toString()));
      socket.on("end", () => socket.end(`heard ${heard}`));
    });
    const halfOpen: object = { allowHalfOpen: true };
    const socket = await open(web.service, ONE, halfOpen);
    socket.write(head("GET /lb/web/chat", ...websocket));
    socket.end("hello");
    expect(await new TextReader(socket).rest()).toMatch(/^HTTP\/1\.1 101 [^]*heard hello$/u);
  });

  it.each(["client", "server"])("loses the whole WebSocket when its %s breaks off", async (who) => {
    await using web = await startBalancedHttp({ certificate: taken(ONE) });
    const upgraded = Promise.withResolvers<Socket>();
    web.server.on("upgrade", (_request, socket) => {
      socket.on("error", () => undefined).write(SWITCHING);
      upgraded.resolve(socket as Socket);
    });
    const tcp = connectPlainly(web.port, "127.0.0.1");
    const client = await open(web.service, ONE, { socket: tcp });
    client.on("error", () => undefined).write(head("GET /lb/web/chat", ...websocket));
    await once(client, "data");
    const server = await upgraded.promise;
    const [breaking, other] = who === "client" ? [tcp, server] : [server, client];
    const closed = new Promise((resolve) => void other.once("close", resolve));
    breaking.resetAndDestroy();
    await closed;
    expect(other.destroyed).toBe(true);
  });
});
