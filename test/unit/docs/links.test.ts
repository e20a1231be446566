/** Each link between the documents leads to an existing file and, after a `#`, to a heading in it. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Document, documents, readDocument, root } from "./documents.ts";

/** Problems of a document's links. */
function brokenLinks({ path: from, text }: Document): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const targets = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !leadsSomewhere(from, target))
    .map((target) => `${from} links to ${target}`);
}

/** Path of this package in a project, as its starter's files see it. */
const INSTALLED = "node_modules/sv-runtime/";

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  if (from.startsWith("templates/") && file.startsWith(INSTALLED)) {
    return (
      isPacked(file.slice(INSTALLED.length)) && leadsSomewhere(".", target.slice(INSTALLED.length))
    );
  }
  const at = file === "" ? path.join(root, from) : path.join(root, path.dirname(from), file);
  if (!fs.existsSync(at)) return false;
  return anchor === undefined || anchorsIn(fs.readFileSync(at, "utf8")).includes(anchor);
}

function isPacked(file: string): boolean {
  const { files } = JSON.parse(readDocument("package.json").text) as { files: readonly string[] };
  return files.some((entry) => file === entry || file.startsWith(`${entry}/`));
}

/** Anchors that GitHub derives from headings. */
function anchorsIn(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("every link between the documents leads to a file and a heading that exist", () => {
  expect(documents().flatMap(brokenLinks)).toEqual([]);
});

test("a broken link is found", () => {
  const text =
    "[a](none.md) [b](handlers.md#none) [c](handlers.md#forms) [d](#a-b) [e](https://x)\n# A `b`!";
  expect(brokenLinks({ path: "docs/client.md", text })).toEqual([
    "docs/client.md links to none.md",
    "docs/client.md links to handlers.md#none",
    "docs/client.md links to #a-b",
  ]);
  const links = ["docs/README.md", "docs/client.md#streams", "docs/none.md", "ARCHITECTURE.md"];
  const starter = links.map((link) => `[x](node_modules/sv-runtime/${link})`).join(" ");
  expect(brokenLinks({ path: "templates/hello/README.md", text: starter })).toEqual([
    "templates/hello/README.md links to node_modules/sv-runtime/docs/none.md",
    "templates/hello/README.md links to node_modules/sv-runtime/ARCHITECTURE.md",
  ]);
});

test("commands with npx need no installation, or their page is about a project with the package", () => {
  /** These documents are about a project in which this package is installed. */
  const installed = new Set([
    "docs/elsewhere.md",
    "docs/testing.md",
    "docs/storage.md",
    "templates/every-starter/AGENTS.md",
  ]);
  const { bin } = JSON.parse(readDocument("package.json").text) as { bin: Record<string, string> };
  expect(bin["sv-runtime"]).toBe(bin["sv-emulate"]);
  const typed = documents().flatMap(({ path: from, text }) =>
    Array.from(text.matchAll(/\bnpx (?:--\S+ (?=-))*(sv-[a-z]+)/gu), ([, name = ""]) => ({
      from,
      name,
    })),
  );
  expect(typed.length).toBeGreaterThan(20);
  const others = typed.filter(({ name }) => name !== "sv-runtime");
  expect(others.filter(({ from, name }) => name !== "sv-worker" || !installed.has(from))).toEqual(
    [],
  );
});
