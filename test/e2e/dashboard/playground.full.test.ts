/** The playground of the built service in Debian's Chromium: the form that a schema makes. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { expectAccessible, openDashboard, submit } from "./open-dashboard.ts";

const HTML = '<img src=x onerror="document.title=1"><script>alert(1)</script>';

/** Schema of a handler's input. */
const SCHEMA = {
  type: "object",
  properties: {
    prompt: { type: "string", description: HTML },
    seed: { type: "integer", title: "Seed" },
    size: { enum: ["small", "large"] },
  },
  required: ["prompt"],
};

describe.skipIf(chromiumIsMissing !== undefined)("the playground", () => {
  let browser: Browser;
  beforeAll(async () => (browser = await startChromium()));
  afterAll(async () => browser.close());

  test("has a form made of the input schema of the handler, and the job gets what is typed", async () => {
    await using tree = await temporaryTree({ "echo.js": "export default (job) => job.input;" });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator, "#/jobs");
    await page.route("**/emulator/endpoints", async (route) => {
      const body = (await (await route.fetch()).json()) as { endpoints: object[] };
      const endpoints = body.endpoints.map((endpoint) => ({ ...endpoint, inputSchema: SCHEMA }));
      await route.fulfill({ json: { ...body, endpoints } });
    });
    await page.goto(`${emulator.url}/#/playground/echo`);
    await page.getByLabel(/^Seed/).fill("many");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("must be a number").waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^Seed/).fill("9007199254740993");
    await page.getByLabel(/^prompt/).fill(HTML);
    await page.getByLabel(/^size/).selectOption("large");
    await page.getByLabel("Name for this input").fill(HTML);
    await page.getByRole("button", { name: "Save input" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    const output = page.getByRole("region", { name: "Output" });
    await output.getByText(JSON.stringify(HTML)).waitFor();
    await output.getByText('"large"').waitFor();
    await page.reload();
    await page.getByRole("button", { name: "JSON" }).click();
    await page.locator(".cm-content").getByText("9007199254740993").waitFor();
    await page.getByRole("button", { name: HTML, exact: true }).click();
    expect(await page.getByLabel(/^prompt/).inputValue()).toBe(HTML);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("shows the form when a worker reports its handler's schema, unless something was typed before", async () => {
    const jsonSchema = `{ input: () => (${JSON.stringify(SCHEMA)}) }`;
    const validates = `{ version: 1, vendor: "mine", validate: (value) => ({ value }), jsonSchema: ${jsonSchema} }`;
    const echo = `export const input = { "~standard": ${validates} };
      export default (job) => job.input;`;
    const endpoint = (handler: string) => ({ handler, workersMin: 0 });
    const config = { endpoints: { one: endpoint("./one.js"), other: endpoint("./other.js") } };
    await using tree = await temporaryTree({
      ...{ "one.js": echo, "other.js": echo },
      "sv.config.json": JSON.stringify(config),
    });
    await using emulator = await startEmulatorProcess({
      args: ["sv.config.json", "--ephemeral"],
      cwd: tree.root,
    });
    const { page } = await openDashboard(browser, emulator, "#/playground/one");
    await page.locator(".json-editor .cm-content").waitFor();
    await submit(emulator, "one", { input: {} });
    await page.getByLabel(/^prompt/).waitFor();
    await expectAccessible(page);

    await page.getByLabel("Endpoint").selectOption("other");
    await page.locator(".json-editor .cm-content").click();
    await page.keyboard.insertText('"prompt": "mine"');
    await submit(emulator, "other", { input: {} });
    await page.getByRole("button", { name: "Form" }).click();
    expect(await page.getByLabel(/^prompt/).inputValue()).toBe("mine");
  });
});
