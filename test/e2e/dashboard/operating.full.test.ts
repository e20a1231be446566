/** The dashboard of the built service in Debian's Chromium: a person's work with workers, the clock and webhooks. */
import fs from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { expectAccessible, openDashboard, submit } from "./open-dashboard.ts";

const HTML = '<img src=x onerror="document.title=1"><script>alert(1)</script>';

/** Waits for a file beside it, and logs the wait in a line that looks like markup. */
const WAITS = `import { existsSync } from "node:fs";
export default async (job, { signal }) => {
  console.log("waits " + job.input.line);
  while (!existsSync(job.input.until) && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
  return { ok: true };
};`;

const ECHO = `export default (job) => job.input;`;

describe.skipIf(chromiumIsMissing !== undefined)("the dashboard", () => {
  let browser: Browser;
  beforeAll(async () => (browser = await startChromium()));
  afterAll(async () => browser.close());

  const panel = (page: Page, name: string | RegExp) => page.getByRole("region", { name });
  const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();

  test("runs a killed worker's job on another worker, and a frozen worker goes on when it is thawed", async () => {
    await using tree = await temporaryTree({ "waits.js": WAITS });
    await using emulator = await startEmulatorProcess({
      args: ["waits.js", "--ephemeral"],
      cwd: tree.root,
    });
    const id = await submit(emulator, "waits", { input: { until: `${tree.root}/go`, line: HTML } });
    const { page, complaints } = await openDashboard(browser, emulator, "#/workers");
    const running = panel(page, "Running").locator("tbody tr");
    await running.filter({ hasText: "working" }).waitFor();
    await expectAccessible(page);
    await running.getByRole("link").first().click();
    await page.getByText(`waits ${HTML}`).waitFor();
    const killed = (await page.locator("h1").textContent()) ?? "";
    await press(page, "Freeze …");
    await page.getByText("After 15 s its leases run out").waitFor();
    await expectAccessible(page);
    await press(page, "Freeze it");
    await page.getByText("frozen", { exact: true }).waitFor();
    await press(page, "Thaw");
    await page.getByText("working").waitFor();
    await expectAccessible(page);

    await press(page, "Kill …");
    await page.getByText("Its job goes back into the queue").waitFor();
    await press(page, "Kill it");
    await page.getByText("It ended unexpectedly: it was ended by SIGKILL.").waitFor();
    await panel(page, "Jobs").getByText("lost").waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("button", { name: /Kill|Freeze/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Workers" }).first().click();
    await panel(page, /^Ended/)
      .getByText("ended unexpectedly")
      .waitFor();
    await running.filter({ hasText: "working" }).waitFor();
    expect(await running.textContent()).not.toContain(killed);

    fs.writeFileSync(path.join(tree.root, "go"), "");
    await page.goto(`${emulator.url}/#/job/${id}`);
    await page.locator("h1 .status").getByText("completed").waitFor();
    expect(complaints).toEqual([]);
  });

  test("steps the clock to the next due event, which deletes expired jobs, and reports it", async () => {
    await using tree = await temporaryTree({ "echo.js": ECHO });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral"],
      cwd: tree.root,
    });
    const id = await submit(emulator, "echo", { input: {} });
    const { page, complaints } = await openDashboard(browser, emulator, "#/clock");
    const askedTwice = watchRequests(page);
    const due = panel(page, /^What is due next/).locator("tbody tr");
    const deletion = due.filter({
      hasText: "is deleted: it is COMPLETED, and its retention ends",
    });
    await deletion.waitFor();
    expect(await deletion.getByRole("link").getAttribute("href")).toBe(`#/job/${id}`);
    await page.getByText("not advanced").waitFor();
    await expectAccessible(page);

    await page.getByLabel(/^Advance by/).fill("1 h 30");
    await page.keyboard.press("Enter");
    await page.locator(".notice.problem").waitFor();
    await press(page, "Close");

    await deletion.getByRole("button", { name: "Advance to this moment" }).click();
    const during = panel(page, /^During the advance by/);
    await during.getByText("job deleted, it was completed").waitFor();
    await during.getByText("settled").waitFor();
    await page.getByText("ahead of real time").waitFor();
    expect(await deletion.count()).toBe(0);
    await expectAccessible(page);
    const { status } = await fetch(`${emulator.url}/v2/echo/status/${id}`, {
      headers: { authorization: emulator.apiKey ?? "" },
    });
    expect(status).toBe(404);
    expect(askedTwice).toEqual([]);
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("delivers a failed webhook again, and shows its request as it was sent", async () => {
    await using receiver = await startReceiver();
    await using tree = await temporaryTree({ "echo.js": ECHO });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral"],
      cwd: tree.root,
    });
    receiver.status = 500;
    const webhook = `${receiver.url}/done?token=abc`;
    await submit(emulator, "echo", { input: { line: HTML, exact: 1 }, webhook });
    const { page, complaints } = await openDashboard(browser, emulator, "#/webhooks");
    const rows = page.locator(".deliveries tbody tr");
    await rows.filter({ hasText: "pending" }).filter({ hasText: "500" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Clock" }).click();
    await press(page, "+ 30 min");
    await page.getByText("webhook failed").waitFor();
    await page.getByRole("link", { name: "Webhooks" }).click();
    await rows.filter({ hasText: "3 tries, the last: 500" }).waitFor();

    await rows.getByRole("link").first().click();
    const request = panel(page, "Request as sent");
    await request.getByText("webhook-signature").waitFor();
    await request.getByText(JSON.stringify(HTML)).first().waitFor();
    await expectAccessible(page);
    receiver.status = 200;
    await press(page, "Redeliver");
    await panel(page, "Tries").getByText("200").waitFor();
    await rows.filter({ hasText: "delivered" }).waitFor();
    expect(receiver.bodies.at(-1)).toBe(receiver.bodies[0]);
    await page.reload();
    await panel(page, "Tries").getByText("200").waitFor();

    await press(page, "Signing secret");
    const secret = page.getByText(/whsec_[^•]/);
    expect(await secret.count()).toBe(0);
    await expectAccessible(page);
    await press(page, "Show");
    await secret.waitFor();
    expect(complaints).toEqual([]);
  });

  test("shows requests that production would refuse, and says so when there are none", async () => {
    await using tree = await temporaryTree({ "echo.js": ECHO });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral", "--limits", "warn"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator, "#/limits");
    await page.getByText("All requests were within the limits of production.").waitFor();
    await expectAccessible(page);
    const headers = { authorization: emulator.apiKey ?? "" };
    for (let nth = 0; nth < 13; nth += 1) {
      await (await fetch(`${emulator.url}/v2/echo/requests`, { headers })).text();
    }
    const table = panel(page, "3 requests would have been refused in production");
    await table.getByText("13 of 10").waitFor();
    await table.getByText("/requests").waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test("offers no change of workers, clock and webhooks when it is read-only, also on a narrow screen", async () => {
    await using receiver = await startReceiver();
    await using tree = await temporaryTree({ "echo.js": ECHO });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "--ephemeral", "--dashboard", "read-only"],
      cwd: tree.root,
    });
    await submit(emulator, "echo", { input: {}, webhook: receiver.url });
    const { page, complaints } = await openDashboard(browser, emulator, "#/workers");
    await page.setViewportSize({ width: 390, height: 844 });
    await panel(page, "Running").getByRole("link").first().click();
    await panel(page, "Newest lines").waitFor();
    await expectNothingToDo(page);
    await page.goto(`${emulator.url}/#/clock`);
    await panel(page, /^What is due next/).waitFor();
    await expectNothingToDo(page);
    await page.goto(`${emulator.url}/#/webhooks`);
    await page.locator(".deliveries tbody tr").getByRole("link").first().click();
    await panel(page, "Request as sent").waitFor();
    await expectNothingToDo(page);
    expect(complaints).toEqual([]);
  });
});

/** Addresses that were requested again before their answer came. */
function watchRequests(page: Page): readonly string[] {
  const [underWay, askedTwice] = [new Set<string>(), [] as string[]];
  page.on("request", (request) => {
    if (request.method() !== "GET" || request.url().includes("/events")) return;
    if (underWay.has(request.url())) askedTwice.push(request.url());
    underWay.add(request.url());
  });
  page.on("requestfinished", (request) => void underWay.delete(request.url()));
  return askedTwice;
}

async function expectNothingToDo(page: Page): Promise<void> {
  const actions = page.getByRole("button", {
    name: /Kill|Freeze|Advance|moment|min|Redeliver|secret/,
  });
  expect(await actions.count()).toBe(0);
  const overflow = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect(overflow).toBe(0);
  await expectAccessible(page);
}

/** Answers with the status that the test sets. */
class Receiver implements AsyncDisposable {
  readonly bodies: string[] = [];
  readonly #server: Server;
  status = 200;

  constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        this.bodies.push(Buffer.concat(pieces).toString());
        response.writeHead(this.status).end();
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function startReceiver(): Promise<Receiver> {
  const receiver = new Receiver();
  await receiver.listen();
  return receiver;
}
