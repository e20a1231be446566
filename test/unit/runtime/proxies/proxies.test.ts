/** Which connections use the proxy of the environment, and which never do. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { nodeAgents, outgoing } from "../../../../runtime/proxies/outgoing.ts";
import { isThisMachine, proxyOf } from "../../../../runtime/proxies/proxy-choice.ts";
import { tunnelTo } from "../../../../runtime/proxies/tunnel.ts";
import { guardedOutgoing } from "../../../../runtime/storage/download/address-guard.ts";
import { forwardProxy } from "../../../setup/forward-proxy.ts";

const NAMES = ["http_proxy", "https_proxy", "no_proxy"];
const LIMIT_MS = 60_000;

beforeEach(() => {
  for (const name of NAMES) {
    vi.stubEnv(name, "");
    vi.stubEnv(name.toUpperCase(), "");
  }
});

/** A server of this machine and a proxy that leads to it. */
async function scene() {
  const server = http.createServer(({ url }, response) => response.end(`at ${url}`));
  server.listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const proxy = await forwardProxy(port);
  return {
    port,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function ask(agent: ReturnType<typeof outgoing>, url: string): Promise<string> {
  const { origin, pathname } = new URL(url);
  const { body } = await agent.request({ origin, path: pathname, method: "GET" });
  return body.text();
}

async function askOfNode(url: string): Promise<string> {
  const { httpAgent } = nodeAgents({}) ?? {};
  const [answer] = (await once(http.get(url, { agent: httpAgent }), "response")) as [
    http.IncomingMessage,
  ];
  return text(answer);
}

describe("a proxy of the environment", () => {
  test.each(["http_proxy", "HTTP_PROXY"])("in %s leads to other machines", async (name) => {
    await using at = await scene();
    vi.stubEnv(name, at.proxy.url);
    expect(await ask(outgoing({}), "http://files.example/a")).toBe("at /a");
    expect(await askOfNode("http://files.example/b")).toBe("at /b");
    expect(await ask(guardedOutgoing({ timeout: LIMIT_MS }), "http://files.example/c")).toBe(
      "at /c",
    );
    expect(at.proxy.asked).toEqual(
      ["a", "b", "c"].map((path) => `GET http://files.example/${path}`),
    );
  });

  test("never leads to this machine", async () => {
    await using at = await scene();
    vi.stubEnv("HTTP_PROXY", at.proxy.url);
    const all = Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
    const own = all.flatMap(({ address, family }) => (family === "IPv4" ? [address] : []));
    for (const host of ["127.0.0.1", "localhost", ...own]) {
      expect(await ask(outgoing({}), `http://${host}:${at.port}/a`)).toBe("at /a");
      expect(await askOfNode(`http://${host}:${at.port}/b`)).toBe("at /b");
      expect(isThisMachine(host)).toBe(true);
    }
    expect(at.proxy.asked).toEqual([]);
  });

  test("does not lead to what NO_PROXY names", async () => {
    await using at = await scene();
    vi.stubEnv("HTTP_PROXY", at.proxy.url);
    vi.stubEnv("NO_PROXY", "near.example, .inner.example");
    await expect(ask(outgoing({}), "http://near.example/a")).rejects.toThrow("getaddrinfo");
    await expect(askOfNode("http://a.inner.example/b")).rejects.toThrow("getaddrinfo");
    expect(["near.example", "a.inner.example", "far.example"].map(proxyOf)).toEqual([
      undefined,
      undefined,
      at.proxy.url,
    ]);
    expect(at.proxy.asked).toEqual([]);
  });

  test("is not asked for an address that is not public, nor for a name that leads to one", async () => {
    await using at = await scene();
    vi.stubEnv("HTTP_PROXY", at.proxy.url);
    const lookup = ((_: string, __: object, found: (...args: unknown[]) => void) =>
      found(null, [{ address: "10.0.0.7", family: 4 }])) as never;
    const agent = guardedOutgoing({ timeout: LIMIT_MS, lookup });
    await expect(ask(agent, "http://inner.example/a")).rejects.toThrow("not public");
    const plain = guardedOutgoing({ timeout: LIMIT_MS });
    for (const host of ["10.0.0.7", "169.254.169.254", "127.0.0.1", "[::1]"])
      await expect(ask(plain, `http://${host}/a`)).rejects.toThrow("not public");
    expect(at.proxy.asked).toEqual([]);
  });

  test("gives a tunnel to a host with TLS, and none to this machine", async () => {
    await using at = await scene();
    vi.stubEnv("https_proxy", at.proxy.url.replace("//", "//user:p%40ss@"));
    const socket = await tunnelTo("far.example", 7443, LIMIT_MS);
    if (socket === undefined) throw new Error("there is no tunnel");
    socket.end("GET /through HTTP/1.0\r\n\r\n");
    expect(await text(socket)).toContain("at /through");
    expect(await tunnelTo("127.0.0.1", 7443, LIMIT_MS)).toBeUndefined();
    expect(await tunnelTo("::1", 7443, LIMIT_MS)).toBeUndefined();
    expect(at.proxy.asked).toEqual(["CONNECT far.example:7443"]);
  });
});

test("without a proxy all connections are direct", () => {
  expect(proxyOf("far.example")).toBeUndefined();
  expect(nodeAgents({})).toBeUndefined();
});
