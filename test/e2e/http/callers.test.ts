/**
 * Access of pages in a real browser to a built `sv-emulate` with a known key, and the addresses at which it
 * answers.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import type { Browser, Page } from "playwright-core";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { testInFull } from "../../setup/size.ts";

/** A foreign name that a name server points to this machine. */
const REBOUND = "rebound.test";

const TREE = {
  "echo.js":
    "export default async function* (job) { yield job.input; yield 'second'; }\nexport const aggregate = true;",
};

/** Tries of a page with a key: to read, write, follow a stream, and see why a request was refused. */
interface Attempt {
  readonly url: string;
  readonly key: string | undefined;
}

async function attempt(page: Page, given: Attempt) {
  return page.evaluate(async ({ url, key }) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const call = async (path: string, init: RequestInit = {}) => {
      try {
        const answer = await fetch(`${url}${path}`, { headers, ...init });
        return { status: answer.status, text: await answer.text() };
      } catch (error) {
        return { status: String(error), text: "{}" };
      }
    };
    const health = await call("/v2/echo/health");
    const written = await call("/v2/echo/run", { method: "POST", body: '{"input":{"a":1}}' });
    const { id = "none" } = JSON.parse(written.text) as { id?: string };
    const accept = { headers: { ...headers, accept: "text/event-stream" } };
    const stream = await call(`/v2/echo/stream/${id}`, accept);
    const missing = await call("/v2/none/health");
    const script = await call("/v1/openapi.json");
    return [health, written, stream, missing, script].map(({ status, text }) => ({
      status,
      text: text.slice(0, 2_000),
    }));
  }, given);
}

/** Opens a page of a server that ends before this resolves: the next listener at its port has the page's origin. */
async function openPageAt(page: Page, hostname: string): Promise<URL> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(`http://${hostname}:${typeof address === "object" ? address?.port : 0}`);
  await page.goto(url.href);
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  return url;
}

async function jobsOf({ url, apiKey }: EmulatorProcess): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await request(`${url}/emulator/jobs`, { headers });
  return ((await answer.body.json()) as { jobs: unknown[] }).jobs.length;
}

describe.skipIf(chromiumIsMissing !== undefined)("a page in Chromium", () => {
  let tree: TemporaryTree;
  let browser: Browser;
  /**
   * Emulators: one without options at the port of a page opened at `REBOUND`, and one that allows a name and an
   * origin.
   */
  let plain: EmulatorProcess;
  let rebound: { readonly page: Page; readonly url: URL };
  let allowing: EmulatorProcess;
  const site = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>");
  });
  let siteUrl: string;

  beforeAll(async () => {
    tree = await temporaryTree(TREE);
    browser = await startChromium([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`]);
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    const address = site.address();
    siteUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const started = (...args: readonly string[]) =>
      startEmulatorProcess({ args: ["echo.js", "--ephemeral", ...args], cwd: tree.root });
    const page = await browser.newPage();
    rebound = { page, url: await openPageAt(page, REBOUND) };
    plain = await started("--port", rebound.url.port);
    allowing = await started("--allowed-host", REBOUND, "--allowed-origin", siteUrl);
  });

  afterAll(async () => {
    await browser?.close();
    await plain?.[Symbol.asyncDispose]();
    await allowing?.[Symbol.asyncDispose]();
    site.closeAllConnections();
    site.close();
    await tree?.[Symbol.asyncDispose]();
  });

  test("with a name rebound to this machine has the emulator's origin in the browser, and is refused", async () => {
    const { page, url } = rebound;
    const seen = await attempt(page, { url: url.origin, key: plain.apiKey });
    expect(seen.map(({ status }) => status)).toEqual([421, 421, 421, 421, 421]);
    expect(seen[0]?.text).toContain(`--allowed-host ${REBOUND}`);
    expect(await jobsOf(plain)).toBe(0);
    await page.close();
  });

  testInFull("can do everything by that name when it is allowed", async () => {
    const url = new URL(allowing.url);
    url.hostname = REBOUND;
    const page = await browser.newPage();
    await page.goto(`${url.origin}/docs`);
    const seen = await attempt(page, { url: url.origin, key: allowing.apiKey });
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200]);
    await page.close();
  });

  test("of another origin can neither read, write nor open a WebSocket", async () => {
    const page = await browser.newPage();
    await page.goto(siteUrl);
    const seen = await attempt(page, { url: plain.url, key: plain.apiKey });
    const failed = Array.from({ length: 5 }, () => "TypeError: Failed to fetch");
    expect(seen.map(({ status }) => status)).toEqual(failed);
    // A request that a browser sends without a preflight.
    const simple = await page.evaluate(async (url) => {
      const init = { method: "POST", mode: "no-cors", body: '{"input":{}}' } as const;
      return (await fetch(`${url}/v2/echo/run`, init)).type;
    }, plain.url);
    expect(simple).toBe("opaque");
    const socket = await page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const opened = new WebSocket(`${url.replace("http", "ws")}/lb/echo/`);
          opened.addEventListener("open", () => resolve("open"));
          opened.addEventListener("error", () => resolve("refused"));
        }),
      plain.url,
    );
    expect(socket).toBe("refused");
    expect(await jobsOf(plain)).toBe(0);
    await page.close();
  });

  test("of an allowed origin reads, writes, follows a stream, and sees refusals", async () => {
    const before = await jobsOf(allowing);
    const page = await browser.newPage();
    await page.goto(siteUrl);
    const seen = await attempt(page, { url: allowing.url, key: allowing.apiKey });
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200]);
    expect(seen[2]?.text).toContain("event: end");
    expect(seen[3]?.text).toContain('"code":"endpoint_not_found"');
    expect(await jobsOf(allowing)).toBe(before + 1);
    await page.close();
  });
});

/** An address of this machine that others on its network have. */
const [address] = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ family, internal }) => family === "IPv4" && !internal);

test.skipIf(address === undefined)(
  "an emulator that listens everywhere answers to the addresses of the machine, and to no other name",
  async () => {
    await using tree = await temporaryTree(TREE);
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral", "--host", "0.0.0.0"],
      cwd: tree.root,
    });
    const { port } = new URL(emulator.url);
    const statusBy = async (host: string, headers: Record<string, string> = {}) => {
      const authorization = `Bearer ${emulator.apiKey}`;
      const url = `http://${host}:${port}/v2/echo/health`;
      const answer = await request(url, { headers: { authorization, ...headers } });
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await statusBy(address?.address ?? "")).toBe(200);
    expect(await statusBy("127.0.0.1")).toBe(200);
    expect(await statusBy("127.0.0.1", { host: `localhost:${port}` })).toBe(200);
    expect(await statusBy("127.0.0.1", { host: `${REBOUND}:${port}` })).toBe(421);
  },
);
