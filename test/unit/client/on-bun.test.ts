/** The client runs on Bun, which replaces the package `undici` with a version without a pool. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const client = path.resolve(import.meta.dirname, "../../../runtime/client");

test("undici is imported by its file name, so that all runtimes use the package itself", () => {
  const files = globSync("*.ts", { cwd: client });
  const sources = files.map((file) => readFileSync(path.join(client, file), "utf8"));
  const imported = sources.flatMap((source) => source.match(/from "undici[^"]*"/gu) ?? []);
  expect(imported).toEqual(['from "undici/index.js"']);
});
