/** The dashboard of the built service in Debian's Chromium: a person's work with jobs. */
import { writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { expectAccessible, newLink, openDashboard, submit } from "./open-dashboard.ts";
import { testInFull } from "../../setup/size.ts";

/** Yields until its job is cancelled, or a given number of times. */
const TALKS = `export default async function* (job, { signal }) {
  for (let at = 0; at < (job.input.words ?? 1e6) && !signal.aborted; at += 1) {
    yield { token: "word" + at + " " };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}`;

/** Fails until a file beside it exists. */
const FAILS_ONCE = `import { existsSync } from "node:fs";
export default (job) => {
  if (!existsSync(job.input.unless)) throw new TypeError("no such model: " + job.input.name);
  return { ok: true, input: job.input };
};`;

const HTML = '<img src=x onerror="document.title=1"><script>alert(1)</script>';

/** A red image of 64 by 64 pixels. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

describe.skipIf(chromiumIsMissing !== undefined)("the dashboard", () => {
  let browser: Browser;
  beforeAll(async () => (browser = await startChromium()));
  afterAll(async () => browser.close());

  const run = (emulator: EmulatorProcess, endpoint: string, input: object) =>
    submit(emulator, endpoint, { input });

  const panel = (page: Page, name: string | RegExp) => page.getByRole("region", { name });
  const statusOf = (page: Page) => page.locator("h1 .status");

  test("opened by a link, runs a job, shows its stream, cancels it, retries a failed one, and runs an edited one", async () => {
    await using tree = await temporaryTree({ "talks.js": TALKS, "fails.js": FAILS_ONCE });
    await using emulator = await startEmulatorProcess({
      args: ["talks.js", "fails.js", "--ephemeral"],
      cwd: tree.root,
    });
    const { page, complaints } = await openDashboard(browser, emulator, "#/jobs");
    expect(page.url()).toBe(`${emulator.url}/#/jobs`);
    await page.getByText("There is no job.").waitFor();
    await page.getByRole("link", { name: "Playground", exact: true }).click();
    await page.getByLabel("Endpoint").selectOption("talks");
    await page.locator(".json-editor .cm-content").click();
    await page.keyboard.press("Control+Enter");
    await page.locator(".stream-text").filter({ hasText: "word5 " }).waitFor();
    await page.getByRole("link", { name: /^Open/ }).click();
    await page.locator(".stream-text").filter({ hasText: "word0 word1 word2 " }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await statusOf(page).getByText("cancelled").waitFor();

    const unless = tree.path("all-is-well");
    await run(emulator, "fails", { name: "gpt", unless });
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    const failed = page.locator(".job-line").filter({ hasText: "no such model: gpt" });
    await failed.getByRole("link").click();
    await page.locator(".failure").getByText("no such model: gpt").first().waitFor();
    const stack = page
      .locator(".failure details")
      .filter({ hasText: / of (?:.* and )?sv-runtime/ });
    expect(await page.locator(".failure pre").first().textContent()).not.toContain(
      "handler-process",
    );
    expect(await page.locator(".failure pre").first().textContent()).toContain("fails.js:3");
    await stack.locator("summary").click();
    await stack.getByText(/handler-process/).waitFor();
    await expectAccessible(page);
    await writeFile(unless, "");
    await page.getByRole("button", { name: "Retry" }).click();
    await statusOf(page).getByText("completed").waitFor();

    const before = page.url();
    await page.getByRole("button", { name: "Edit and run" }).click();
    const editor = page.locator("dialog .cm-content");
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(`{"name": 9007199254740993.10, "unless": "${unless}"}`);
    await expectAccessible(page);
    await page.locator("dialog").getByRole("button", { name: "Run" }).click();
    await page.waitForURL((url) => url.href !== before && url.hash.startsWith("#/job/"));
    await statusOf(page).getByText("completed").waitFor();
    await page.getByText("9007199254740993.10").waitFor();
    expect(complaints).toEqual([]);
  });

  test("shows what jobs hold as text, and the images in it as images", async () => {
    const echo = `export default (job) => { console.log(job.input.line); return job.input; };`;
    await using tree = await temporaryTree({ "echo.js": echo, "fails.js": FAILS_ONCE });
    await using emulator = await startEmulatorProcess({
      args: ["echo.js", "fails.js", "--ephemeral"],
      cwd: tree.root,
    });
    const input = {
      [HTML]: HTML,
      line: HTML,
      image: PNG,
      link: "javascript:alert(1)",
      password: "hunter2",
    };
    const [id, failing] = [
      await run(emulator, "echo", input),
      await run(emulator, "fails", { name: HTML }),
    ];
    const { page, complaints } = await openDashboard(browser, emulator, `#/job/${id}`);
    await statusOf(page).getByText("completed").waitFor();
    const output = page.getByRole("region", { name: "Output" });
    await output.getByText(JSON.stringify(HTML)).first().waitFor();
    expect(await output.locator("img").count()).toBe(1);
    const isDrawn = await output
      .locator("img")
      .evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0);
    expect(isDrawn).toBe(true);
    expect(await output.getByText("hunter2").count()).toBe(0);
    await output.getByText("looks like a secret").locator("..").getByRole("button").click();
    await output.getByText("hunter2").waitFor();
    expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
    await expectAccessible(page);
    await page.goto(`${emulator.url}/#/job/${failing}`);
    await page.locator(".failure-message").filter({ hasText: HTML }).waitFor();
    await page.goto(`${emulator.url}/#/jobs?q=${encodeURIComponent(HTML)}`);
    await page.getByText("No job matches.").or(page.locator(".job-line")).first().waitFor();
    await page.goto(`${emulator.url}/#/${encodeURIComponent(HTML)}`);
    await page.getByText("There is no page").waitFor();
    await page.goto(`${emulator.url}/#/job/${encodeURIComponent(HTML)}`);
    await page.locator(".problem").waitFor();
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  });

  testInFull(
    "has a list that follows the jobs, stands still while it is paused, and obeys keys",
    async () => {
      await using tree = await temporaryTree({ "talks.js": TALKS });
      await using emulator = await startEmulatorProcess({
        args: ["talks.js", "--ephemeral"],
        cwd: tree.root,
      });
      const { page, complaints } = await openDashboard(browser, emulator, "#/jobs");
      const lines = page.locator(".virtual-list .job-line");
      await run(emulator, "talks", { words: 1 });
      await lines.filter({ hasText: "completed" }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press("Space");
      for (let at = 0; at < 3; at += 1) await run(emulator, "talks", {});
      await page.getByRole("button", { name: "3 new" }).waitFor();
      expect(await lines.count()).toBe(1);
      await page.getByRole("button", { name: "3 new" }).click();
      await expect.poll(() => lines.count()).toBe(4);

      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await page.getByText("1 job selected").waitFor();
      await page.keyboard.press("c");
      await page.getByText("1 job cancelled").waitFor();
      await lines.filter({ hasText: "cancelled" }).waitFor();

      await page.keyboard.press("f");
      await page.keyboard.type("status:cancelled took:>5");
      await page.waitForURL(/q=status/u);
      await page.reload();
      await page.getByLabel("Query").waitFor();
      expect(await page.getByLabel("Query").inputValue()).toBe("status:cancelled took:>5");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Page, endpoint" }).fill("playground");
      await page.getByRole("option", { name: /^Playground/u, selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Playground" }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press("?");
      await page.locator("dialog").waitFor();
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  testInFull(
    "opens once by a link; after a restart a deep link asks for a new link, and then opens",
    async () => {
      await using tree = await temporaryTree({ "talks.js": TALKS });
      const start = async (port: string) =>
        startEmulatorProcess({ args: ["talks.js", "--port", port], cwd: tree.root });
      const first = await start("0");
      const { port } = new URL(first.url);
      const id = await run(first, "talks", { words: 2 });
      const used = await newLink(first);
      const { page } = await openDashboard(browser, first, `#/job/${id}`);
      await statusOf(page).getByText("completed").waitFor();
      const stranger = await browser.newContext();
      const other = await stranger.newPage();
      await other.goto(used);
      await other.locator(".top-bar").waitFor();
      await first.stop();
      await page.getByText("reconnecting").waitFor();
      await using second = await start(port);
      await page.getByLabel("Link or key").waitFor();
      expect(page.url()).toContain(`#/job/${id}`);
      await expectAccessible(page);

      await page.getByLabel("Link or key").fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("the API key is wrong").waitFor();
      await page.getByLabel("Link or key").fill(second.apiKey ?? "");
      await page.keyboard.press("Enter");
      await statusOf(page).getByText("completed").waitFor();
      await other.goto(used);
      await other.getByLabel("Link or key").waitFor();
      const beside = await stranger.newPage();
      await beside.goto(await newLink(second));
      await beside.locator(".top-bar").waitFor();
      await other.evaluate(`dispatchEvent(new Event("focus"))`);
      await other.locator(".top-bar").waitFor();
      await stranger.close();
    },
  );

  testInFull(
    "still shows the report of a failed job that was deleted, without actions that need its input",
    async () => {
      await using tree = await temporaryTree({ "fails.js": FAILS_ONCE });
      await using emulator = await startEmulatorProcess({
        args: ["fails.js", "--ephemeral"],
        cwd: tree.root,
      });
      const id = await run(emulator, "fails", { name: "gpt", unless: "/nowhere" });
      const { page, complaints } = await openDashboard(browser, emulator, `#/job/${id}`);
      await page.locator(".failure-message").getByText("no such model: gpt").waitFor();
      await page.goto(`${emulator.url}/#/clock`);
      const deletion = page.locator("tr").filter({ hasText: "is deleted: it is FAILED" });
      await deletion.getByRole("button", { name: "Advance to this moment" }).click();
      await page.getByText("job deleted").waitFor();
      await page.goto(`${emulator.url}/#/jobs`);
      await panel(page, /^Failed, and deleted since/).waitFor();
      await expectAccessible(page);
      await page.goto(
        `${emulator.url}/#/jobs?q=${encodeURIComponent(`status:failed ${id.slice(-12)}`)}`,
      );
      await page
        .getByRole("main")
        .getByRole("link", { name: id.slice(-14) })
        .click();
      await page.locator(".failure-message").getByText("no such model: gpt").waitFor();
      await page.getByText("Its input and output are gone").waitFor();
      expect(await page.getByRole("button", { name: /Retry|Run again|Edit/ }).count()).toBe(0);
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    },
  );

  testInFull("offers no change when it is read-only", async () => {
    await using tree = await temporaryTree({ "talks.js": TALKS });
    await using emulator = await startEmulatorProcess({
      args: ["talks.js", "--ephemeral", "--dashboard", "read-only"],
      cwd: tree.root,
    });
    const id = await run(emulator, "talks", {});
    const { page, complaints } = await openDashboard(browser, emulator, `#/job/${id}`);
    await page.locator(".stream-text").filter({ hasText: "word3 " }).waitFor();
    await page.getByText("read-only").waitFor();
    expect(await page.getByRole("button", { name: /Cancel|Run again|Edit and run/ }).count()).toBe(
      0,
    );
    const status = await page.evaluate(async (path) => {
      const answer = await fetch(path, { method: "POST", headers: { "x-sv-dashboard": "1" } });
      return answer.status;
    }, `/v2/talks/cancel/${id}`);
    expect(status).toBe(403);
    expect(complaints.filter((text) => !text.includes("403"))).toEqual([]);
  });
});
