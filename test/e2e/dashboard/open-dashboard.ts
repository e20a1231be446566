/** The dashboard in a real browser, opened by a link, with all complaints of the browser recorded. */
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import type { EmulatorProcess } from "../emulator-process.ts";

export interface OpenDashboard {
  readonly page: Page;
  /** Errors of scripts, violations of the page's policy, and requests to other servers. */
  readonly complaints: readonly string[];
}

/** @param hash page that the link opens */
export async function openDashboard(
  browser: Browser,
  emulator: Pick<EmulatorProcess, "url" | "apiKey">,
  hash = "",
): Promise<OpenDashboard> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== emulator.url) complaints.push(request.url());
  });
  await page.goto(`${await newLink(emulator)}${hash}`);
  await page.locator(".top-bar").waitFor();
  return { page, complaints };
}

/** The link that `sv-emulate open` prints. */
export async function newLink({
  url,
  apiKey = "",
}: Pick<EmulatorProcess, "url" | "apiKey">): Promise<string> {
  const answer = await fetch(`${url}/emulator/tickets`, {
    method: "POST",
    headers: { authorization: apiKey },
  });
  const { ticket } = (await answer.json()) as { ticket: string };
  return `${url}/?ticket=${ticket}`;
}

/** Returns the id. */
export async function submit(
  { url, apiKey = "" }: Pick<EmulatorProcess, "url" | "apiKey">,
  endpointId: string,
  job: object,
): Promise<string> {
  const answer = await fetch(`${url}/v2/${endpointId}/run`, {
    method: "POST",
    headers: { authorization: apiKey },
    body: JSON.stringify(job),
  });
  return ((await answer.json()) as { id: string }).id;
}

/** Checks both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  // The colour scheme changes nothing but colours.
  for (const [colorScheme, rules] of [
    ["light", {}],
    ["dark", { runOnly: ["color-contrast", "link-in-text-block"] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(async (options) => {
      const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
      const result = await inPage.run(options);
      return result.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    }, rules);
    expect.soft(violations, `${page.url()} ${colorScheme}`).toEqual([]);
  }
}
