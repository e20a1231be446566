/** Files that workers of a local endpoint load, before and after the user changes the handler. */
import fs from "node:fs/promises";
import { expect, test } from "vitest";
import { HandlerFiles } from "../../../emulator/handlers/handler-files.ts";
import { localTemplate } from "../../../emulator/handlers/local-endpoint.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

test("workers load the prepared module, and the handler itself after any of its files has changed", async () => {
  await using tree = await temporaryTree({
    "handler.ts": `export { part as default } from "./part.ts";`,
    "part.ts": "export const part = (): number => 1;",
  });
  const handler = { id: "changes", path: tree.path("handler.ts") };
  const files = new HandlerFiles(silent);
  await files.add(handler);
  const template = localTemplate(handler);
  expect(files.moduleOf(template)).toMatch(/handler-\w+-\w+\.mjs$/);
  await fs.writeFile(tree.path("part.ts"), "export const part = (): string => 'two';");
  expect(files.moduleOf(template)).toBe(handler.path);
  await fs.rm(tree.path("part.ts"));
  expect(files.moduleOf(template)).toBe(handler.path);
});

test("workers load the handler itself if it could not be prepared, and nothing for a template of others", async () => {
  await using tree = await temporaryTree({ "handler.ts": "export default" });
  const handler = { id: "broken", path: tree.path("handler.ts") };
  const said: string[] = [];
  const log = { ...silent, error: (_: object, message: string) => void said.push(message) };
  const files = new HandlerFiles(log);
  await files.add(handler);
  expect(files.moduleOf(localTemplate(handler))).toBe(handler.path);
  expect(said).toEqual([
    expect.stringMatching(/^the handler cannot be loaded: .*handler\.ts:1:15: /s),
  ]);
  expect(files.moduleOf({ ...localTemplate(handler), imageName: "other/image:1" })).toBeUndefined();
});
