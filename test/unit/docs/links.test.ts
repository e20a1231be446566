/** Links between the documents lead somewhere: to a file that is there and, behind a `#`, to a heading in it. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Document, documents, root } from "./documents.ts";

/** What is wrong with the links of a document. */
function brokenLinks({ path: from, text }: Document): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const targets = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !leadsSomewhere(from, target))
    .map((target) => `${from} links to ${target}`);
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const at = file === "" ? path.join(root, from) : path.join(root, path.dirname(from), file);
  if (!fs.existsSync(at)) return false;
  return anchor === undefined || anchorsIn(fs.readFileSync(at, "utf8")).includes(anchor);
}

/** As GitHub makes them of headings. */
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

test("a link to nowhere is found", () => {
  const text =
    "[a](none.md) [b](handlers.md#none) [c](handlers.md#forms) [d](#a-b) [e](https://x)\n# A `b`!";
  expect(brokenLinks({ path: "docs/client.md", text })).toEqual([
    "docs/client.md links to none.md",
    "docs/client.md links to handlers.md#none",
    "docs/client.md links to #a-b",
  ]);
});
