/** The file of a template: the content of a new file, and the parts that stay in an old one. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readTemplateInput } from "../../../emulator/core/resources/templates/template-input.ts";
import { ImageError } from "../../../emulator/image/image-error.ts";
import { writeTemplate } from "../../../emulator/image/template-file.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const facts = {
  name: "greet",
  imageName: "greet:1",
  category: "NVIDIA",
  ports: ["80/http"],
} as const;

test("POST /v1/templates accepts a new template", async () => {
  await using files = await temporaryTree({});
  await writeTemplate(files.path("t.json"), facts);
  const template: unknown = JSON.parse(await readFile(files.path("t.json"), "utf8"));
  expect(readTemplateInput(template)).toMatchObject({ ...facts, isServerless: true });
});

test("in an existing template only the image changes", async () => {
  await using files = await temporaryTree({
    "t.json": '{"name":"n","imageName":"o","env":{"A":"1"}}',
  });
  await writeTemplate(files.path("t.json"), facts);
  expect(JSON.parse(await readFile(files.path("t.json"), "utf8"))).toEqual({
    name: "n",
    imageName: "greet:1",
    env: { A: "1" },
  });
});

test.each(["[]", "no JSON", ""])("a file with %j is left unchanged and refused", async (text) => {
  await using files = await temporaryTree({ "t.json": text });
  await expect(writeTemplate(files.path("t.json"), facts)).rejects.toThrow(ImageError);
  expect(await readFile(files.path("t.json"), "utf8")).toBe(text);
});

test("a missing directory is reported", async () => {
  await using files = await temporaryTree({});
  await expect(writeTemplate(files.path("a/t.json"), facts)).rejects.toThrow("cannot be written");
});
