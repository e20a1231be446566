/** A real browser for tests of pages: Debian's Chromium, driven by playwright-core. */
import { type Browser, chromium } from "playwright-core";
import { whatIsMissing } from "./debian-program.ts";

const PROGRAM = "/usr/bin/chromium";

/** Flags: no window, no sandbox (which root cannot have), and no calls to its makers. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Reason that these tests are left out here; undefined if they run. Under CI they are never left out. */
export const chromiumIsMissing: string | undefined = whatIsMissing("tests in a browser", [
  "chromium",
]);

/** @param flags additional flags */
export async function startChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: [...FLAGS, ...flags] });
}
