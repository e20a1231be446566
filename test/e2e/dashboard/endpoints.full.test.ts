/**
 * The overview and the endpoint page of the built service in Debian's Chromium: a person reads and changes
 * endpoints.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { expectAccessible, openDashboard, submit } from "./open-dashboard.ts";

/** Runs until its job is cancelled, or for a given time. */
const WAITS = `export default (job, { signal }) => new Promise((resolve) => {
  setTimeout(resolve, job.input.ms ?? 600_000);
  signal.addEventListener("abort", resolve);
});`;

/** Each endpoint has one worker, until a test changes that. */
const config = (...endpoints: readonly string[]) =>
  JSON.stringify({
    endpoints: Object.fromEntries(
      endpoints.map((id) => [id, { handler: `./${id}.js`, workersMin: 1, workersMax: 1 }]),
    ),
  });

const THROWS = `export default () => { throw new Error("no such model"); };`;

describe.skipIf(chromiumIsMissing !== undefined)("the endpoints in the dashboard", () => {
  let browser: Browser;
  beforeAll(async () => (browser = await startChromium()));
  afterAll(async () => browser.close());

  const run = (emulator: EmulatorProcess, endpoint: string, input: object) =>
    submit(emulator, endpoint, { input });

  const lineOf = (page: Page, endpoint: string) =>
    page.locator("li.overview-line").filter({ has: page.getByRole("link", { name: endpoint }) });

  test("the overview says whether something is wrong, and its numbers lead to the jobs behind them", async () => {
    await using tree = await temporaryTree({
      "waits.js": WAITS,
      "throws.js": THROWS,
      "sv.config.json": config("waits", "throws"),
    });
    await using emulator = await startEmulatorProcess({
      args: ["--ephemeral"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator);
    await page.getByText("All 2 endpoints are well").waitFor();
    await run(emulator, "throws", {});
    await page.getByText("1 of 2 endpoints needs a look").waitFor();
    for (let at = 0; at < 3; at += 1) await run(emulator, "waits", {});
    const waits = lineOf(page, "waits");
    await waits.getByText("working").waitFor();
    await waits.getByRole("link", { name: "2", exact: true }).waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "1 of 1 job failed in the last 5 min" }).click();
    const jobs = page.locator(".virtual-list .job-line");
    await jobs.filter({ hasText: "no such model" }).waitFor();
    expect(await jobs.count()).toBe(1);
    await page.goBack();
    await waits.getByRole("link", { name: "2", exact: true }).click();
    await expect.poll(() => jobs.count()).toBe(2);
    expect(await jobs.filter({ hasText: "queued" }).count()).toBe(2);
    expect(await page.getByLabel("Query").inputValue()).toBe("endpoint:waits status:queued");
    expect(complaints).toEqual([]);
  });

  test("once the last endpoint is deleted, the overview says how to create one, and the endpoint's page says that it is gone", async () => {
    await using tree = await temporaryTree({ "waits.js": WAITS });
    await using emulator = await startEmulatorProcess({
      args: ["waits.js", "--ephemeral"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator);
    await page.getByText("The endpoint is well").waitFor();
    await fetch(`${emulator.url}/v1/endpoints/waits`, {
      method: "DELETE",
      headers: { authorization: emulator.apiKey ?? "" },
    });
    await page.getByText("No endpoint is served yet").waitFor();
    await page.getByText("npx sv-runtime greet").waitFor();
    await expectAccessible(page);
    await page.goto(`${emulator.url}/#/endpoint/waits`);
    await page.getByText("There is no endpoint “waits” (any more).").waitFor();
    expect(complaints).toEqual([]);
  });

  test("the settings of an endpoint scale it to three workers, each with a lane, and refuse invalid values", async () => {
    await using tree = await temporaryTree({
      "waits.js": WAITS,
      "sv.config.json": config("waits"),
    });
    await using emulator = await startEmulatorProcess({
      args: ["--ephemeral"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator, "#/endpoint/waits");
    await page.getByRole("heading", { name: "waits" }).waitFor();
    const lanes = page.locator(".lane-name .id-link");
    await expect.poll(() => lanes.count()).toBe(1);

    await page.getByLabel("Workers, at least").fill("3");
    await page.getByRole("button", { name: "Save 1 change" }).click();
    await page.getByText("must not exceed workersMax, which is 1; got 3").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Workers, at most").fill("3");
    await page.getByRole("button", { name: "Save 2 changes" }).click();
    await page.getByText("saved", { exact: true }).waitFor();
    await expect.poll(() => lanes.count()).toBe(3);
    await page.getByText("workersMin asks for 3 workers").waitFor();
    const ids = await lanes.evaluateAll((links: { title: string }[]) =>
      links.map(({ title }) => title),
    );
    const answer = await fetch(`${emulator.url}/emulator/workers?endpointId=waits`, {
      headers: { authorization: emulator.apiKey ?? "" },
    });
    const { workers } = (await answer.json()) as { workers: { id: string }[] };
    expect(ids.toSorted()).toEqual(workers.map(({ id }) => id).toSorted());

    const html = "<img src=x onerror=alert(1)>";
    await page.getByLabel("Name").fill(html);
    await page.getByRole("button", { name: "Save 1 change" }).click();
    await page.getByRole("heading", { name: html }).waitFor();
    expect(await page.locator("img").count()).toBe(0);

    await page.getByText("The same as a table").click();
    expect(await page.locator(".endpoint-page tbody tr").count()).toBe(3);
    await page.locator(".chart-box svg").first().waitFor();
    await expectAccessible(page);
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("a bar leads to its job, a drag zooms the chart, and the queue is purged after a confirmation", async () => {
    await using tree = await temporaryTree({
      "waits.js": WAITS,
      "sv.config.json": config("waits"),
    });
    await using emulator = await startEmulatorProcess({
      args: ["--ephemeral"],
      cwd: tree.root,
    });
    const first = await run(emulator, "waits", {});
    await run(emulator, "waits", {});
    const { page, complaints } = await openDashboard(
      browser,
      emulator,
      "#/endpoint/waits?span=60000",
    );
    await page.locator("rect.bar.execution.running").waitFor();
    await page.getByRole("button", { name: "Purge queue" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Remove 1 waiting job" }).click();
    await page.getByText("removed 1 waiting job").waitFor();
    await expect
      .poll(async () => page.getByRole("button", { name: "Purge queue" }).isDisabled())
      .toBe(true);

    const drawing = await page.locator(".lane-drawing").boundingBox();
    if (drawing === null) throw new Error("the lanes are not drawn");
    const { x, y, width, height } = drawing;
    await page.mouse.move(x + width * 0.2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/u);
    await page.getByRole("button", { name: "1 min" }).click();
    await page.waitForURL(/span=60000/u);

    const bar = page.locator("rect.bar.execution.running");
    await expect.poll(async () => (await bar.boundingBox())?.width ?? 0).toBeGreaterThan(8);
    await bar.click({ position: { x: 3, y: 6 } });
    await page.waitForURL(new RegExp(`#/job/${first}`, "u"));
    expect(complaints).toEqual([]);
  });

  test("a read-only page changes nothing of an endpoint", async () => {
    await using tree = await temporaryTree({ "waits.js": WAITS });
    await using emulator = await startEmulatorProcess({
      args: ["waits.js", "--ephemeral", "--dashboard", "read-only"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator, "#/endpoint/waits");
    await page.getByText("This dashboard is read-only.").waitFor();
    expect(await page.getByLabel("Workers, at most").isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: /Save|Undo|Purge/u }).count()).toBe(0);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
