/** The dashboard through a forwarded port, and below a path of a proxy. */
import { createServer, request, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { newLink } from "./open-dashboard.ts";

/** Forwards requests below `path` with their headers; anything else is not found. */
async function startProxy(target: string, path: string) {
  const { hostname, port } = new URL(target);
  const pass: RequestListener = (asked, answer) => {
    const { url = "", method, headers } = asked;
    if (!url.startsWith(path)) return void answer.writeHead(404).end();
    const below = `/${url.slice(path.length)}`;
    const onward = request({ hostname, port, path: below, method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
    return undefined;
  };
  let inFlight = 0;
  const counted: RequestListener = (asked, answer) => {
    inFlight += 1;
    answer.once("close", () => (inFlight -= 1));
    pass(asked, answer);
  };
  const server = createServer(counted).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://localhost:${(server.address() as AddressInfo).port}${path}`;
  return {
    url,
    /** Requests without a complete answer. */
    inFlight: () => inFlight,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Hides or shows the page, like a browser that changes tabs. */
async function showPage(page: Page, isShown: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, "hidden", { configurable: true, value: ${!isShown} });
     document.dispatchEvent(new Event("visibilitychange"));`,
  );
}

describe.skipIf(chromiumIsMissing !== undefined)("the dashboard behind a proxy", () => {
  test("a page in the background holds no connection, and continues where it was when it is visible again", async () => {
    await using tree = await temporaryTree({ "echo.js": "export default (job) => job.input;" });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral"],
      cwd: tree.root,
    });
    await using proxy = await startProxy(emulator.url, "/");
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${proxy.url}${new URL(await newLink(emulator)).search}#/jobs`);
      await page.getByText("live", { exact: true }).waitFor();
      await expect.poll(() => proxy.inFlight()).toBe(1);
      await showPage(page, false);
      await expect.poll(() => proxy.inFlight()).toBe(0);
      await fetch(`${emulator.url}/v2/echo/run`, {
        method: "POST",
        headers: { authorization: emulator.apiKey ?? "" },
        body: '{"input":{}}',
      });
      await showPage(page, true);
      await page.locator(".job-line").filter({ hasText: "completed" }).waitFor();
      await page.getByText("live", { exact: true }).waitFor();
    } finally {
      await browser.close();
    }
  });

  test.each([
    ["a forwarded port", "/"],
    ["its own path", "/some/where/"],
  ])("works at %s, with its events and deep links", async (_, path) => {
    await using tree = await temporaryTree({ "echo.js": "export default (job) => job.input;" });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral"],
      cwd: tree.root,
    });
    await using proxy = await startProxy(emulator.url, path);
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      const { search } = new URL(await newLink(emulator));
      await page.goto(`${proxy.url}${search}#/jobs`);
      await page.getByText("live", { exact: true }).waitFor();
      await fetch(`${emulator.url}/v2/echo/run`, {
        method: "POST",
        headers: { authorization: emulator.apiKey ?? "" },
        body: '{"input":{"a":1}}',
      });
      const line = page.locator(".job-line").filter({ hasText: "completed" });
      await line.getByRole("link").click();
      await page.getByRole("region", { name: "Output" }).getByText("a:").waitFor();
      await page.reload();
      await page.getByRole("region", { name: "Output" }).getByText("a:").waitFor();
      expect(page.url()).toMatch(new RegExp(`^${proxy.url}#/job/`, "u"));
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
