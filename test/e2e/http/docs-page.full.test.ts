/** The documentation page in a browser that may reach nothing but the built `sv-emulate`. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";

/** Requests of the page, and all complaints of the page or the browser. */
function watch(page: Page) {
  const seen = { origins: new Set<string>(), complaints: [] as string[] };
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:") seen.origins.add(origin);
  });
  page.on("requestfailed", (request) => seen.complaints.push(`failed: ${request.url()}`));
  page.on("pageerror", (error) => seen.complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") seen.complaints.push(message.text());
  });
  return seen;
}

test.skipIf(chromiumIsMissing !== undefined)(
  "the page shows every operation, calls one with the typed key, and makes no request to other servers",
  async () => {
    const schema = [
      `const jsonSchema = { input: () => ({ type: "object", properties: { name: {} } }) };`,
      `const validate = (value) => ({ value });`,
      `export const input = { "~standard": { version: 1, vendor: "mine", validate, jsonSchema } };`,
      `export default (job) => job.input;`,
    ];
    await using tree = await temporaryTree({ "echo.js": schema.join("\n") });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral"],
      cwd: tree.root,
    });
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      const seen = watch(page);
      await page.goto(`${emulator.url}/docs`);
      await page.locator(".opblock").first().waitFor();
      const operations = await page.evaluate(async () => {
        const answer = await fetch("/v1/openapi.json");
        const document = (await answer.json()) as { paths: Record<string, object> };
        return Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
      });
      expect(await page.locator(".opblock").count()).toBe(operations);

      await page.locator(".btn.authorize").first().click();
      await page.locator(".auth-container input").fill(emulator.apiKey ?? "");
      await page.locator(".modal-ux .btn.authorize").click();
      await page.locator(".modal-ux .btn-done").click();
      const own = page.locator("#operations-endpoint_echo-run_echo");
      await own.locator(".opblock-summary").click();
      expect(await own.locator(".opblock-section-request-body").textContent()).toContain('"name"');
      const health = page.locator("#operations-jobs-health");
      await health.locator(".opblock-summary").click();
      await health.locator(".try-out__btn").click();
      await health.locator("tr[data-param-name=endpointId] input").fill("echo");
      await health.locator(".btn.execute").click();
      const body = health.locator(".live-responses-table .highlight-code");
      await body.waitFor();
      expect(await body.textContent()).toContain('"inQueue": 0');

      expect(seen).toEqual({ origins: new Set([emulator.url]), complaints: [] });
    } finally {
      await browser.close();
    }
  },
);
