/** The platform's own opener opens a browser; if it fails, the address is printed. */
import fs from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { openBrowser } from "../../../../emulator/cli/serve/open-browser.ts";
import { temporaryTree, type TemporaryTree } from "../../../temporary-tree.ts";

const URL_SHOWN = "http://127.0.0.1:7080/?ticket=a'b&c";

/** Makes this the only program in PATH. */
function only(tree: TemporaryTree, program: string, script: string): void {
  fs.mkdirSync(tree.path("bin"));
  fs.writeFileSync(tree.path("bin", program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", tree.path("bin"));
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.each([
  ["linux", "xdg-open", [URL_SHOWN]],
  ["darwin", "open", [URL_SHOWN]],
  ["win32", "rundll32", ["url.dll,FileProtocolHandler", URL_SHOWN]],
] as const)("on %s the opener %s gets the unchanged address", async (platform, program, args) => {
  await using tree = await temporaryTree({});
  only(
    tree,
    program,
    `printf '%s\\n' "$@" > '${tree.path("opened.tmp")}'; /bin/mv '${tree.path("opened.tmp")}' '${tree.path("opened")}'`,
  );
  const failed = vi.fn<(sentence: string) => void>();
  openBrowser(URL_SHOWN, failed, platform);
  const opened = () => fs.existsSync(tree.path("opened"));
  await expect.poll(opened).toBe(true);
  expect(fs.readFileSync(tree.path("opened"), "utf8")).toBe(`${args.join("\n")}\n`);
  expect(failed).not.toHaveBeenCalled();
});

test("without a working opener, the address is printed", async () => {
  await using tree = await temporaryTree({});
  const failed = vi.fn<(sentence: string) => void>();
  only(tree, "xdg-open", "exit 3");
  openBrowser(URL_SHOWN, failed, "darwin");
  openBrowser(URL_SHOWN, failed, "linux");
  await expect.poll(() => failed.mock.calls.length).toBe(2);
  const sentences = failed.mock.calls.map(([sentence]) => sentence).toSorted();
  expect(sentences).toEqual([
    `no browser could be opened (spawn open ENOENT): open ${URL_SHOWN} yourself`,
    `no browser could be opened (xdg-open ended with code 3): open ${URL_SHOWN} yourself`,
  ]);
});
