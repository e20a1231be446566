/** The dashboard's page and files as the built service sends them. */
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";

test("the dashboard lets a browser load and call this service only, and forbids framing", async () => {
  await using tree = await temporaryTree({ "echo.js": "export default (job) => job.input;" });
  await using emulator = await startEmulatorProcess({
    args: ["echo.js", "--ephemeral"],
    cwd: tree.root,
  });
  const page = await fetch(emulator.url, { headers: { accept: "text/html,*/*;q=0.8" } });
  const html = await page.text();
  expect(page.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  expect(html).not.toMatch(/style=|<style|\son\w+=|<script(?! type="module" src="ui\/)/u);
  const files = Array.from(html.matchAll(/"(ui\/[^"]+)"/gu), ([, file = ""]) => file);
  expect(files).toHaveLength(2);
  for (const file of files) {
    const answer = await fetch(`${emulator.url}/${file}`);
    expect(answer.headers.get("cache-control")).toContain("immutable");
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect((await answer.text()).length).toBeGreaterThan(1_000);
  }
  for (const file of ["page.html", "packages.licences.txt", "..%2fservice.cjs", "constructor"]) {
    expect.soft((await fetch(`${emulator.url}/ui/${file}`)).status, file).toBe(404);
  }
});
