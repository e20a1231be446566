/** States how `sv-emulate build` is read, what it builds an image of, and that its reference says what its help says. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { buildTarget, imageName } from "../../../emulator/cli/build.ts";
import { readCommandLine } from "../../../emulator/cli/command.ts";
import { UsageError } from "../../../emulator/cli/usage-error.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const read = (...args: string[]) => readCommandLine(args, "1.2.3");

test("build takes a directory and flags of its own", () => {
  expect(
    read("build", "greet", "--tag", "g:1", "--push", "--base-image=b", "--rebuild-base"),
  ).toEqual({
    kind: "build",
    target: "greet",
    flags: { tag: "g:1", push: true, baseImage: "b", rebuildBase: true },
  });
  expect(read("build")).toEqual({ kind: "build", target: undefined, flags: {} });
});

test("flags for serving are none of it, nor a second directory", () => {
  expect(() => read("build", "--port", "1")).toThrow(UsageError);
  expect(() => read("build", "--tga", "1")).toThrow("(Did you mean --tag?)");
  expect(() => read("build", "a", "b")).toThrow(UsageError);
});

test("a directory called build is served as ./build, and build elsewhere is a target like any", () => {
  expect(read("./build")).toMatchObject({ kind: "serve", targets: ["./build"] });
  expect(read("a", "build")).toMatchObject({ kind: "serve", targets: ["a", "build"] });
});

test("a directory stands for its handler, a file for its directory", async () => {
  await using files = await temporaryTree({
    "a/handler.ts": "",
    "a/other.js": "",
    "b/Dockerfile": "",
  });
  const directory = files.path("a");
  const handlerFile = files.path("a/handler.ts");
  expect(await buildTarget("a", files.root)).toEqual({ directory, handlerFile });
  const other = files.path("a/other.js");
  expect(await buildTarget("a/other.js", files.root)).toEqual({ directory, handlerFile: other });
  const own = { directory: files.path("b"), handlerFile: undefined };
  expect(await buildTarget("b", files.root)).toEqual(own);
});

test("where there is neither a handler nor a Dockerfile, that is said", async () => {
  await using files = await temporaryTree({ "a/x.txt": "", "f.txt": "" });
  await expect(buildTarget("a", files.root)).rejects.toThrow(
    "a holds neither a handler (handler.ts or the like) nor a Dockerfile",
  );
  await expect(buildTarget("b", files.root)).rejects.toThrow("b does not exist");
  await expect(buildTarget("f.txt", files.root)).rejects.toThrow("f.txt is no handler module");
});

test.each([
  ["greet", "greet"],
  ["My Model_v2", "my-model-v2"],
  ["--", "worker"],
  ["é", "worker"],
])("the image of the directory %j is called %s", (directory, name) => {
  expect(imageName(directory)).toBe(name);
});

test("docs/images.md shows the help as it is", async () => {
  const reference = await readFile(new URL("../../../docs/images.md", import.meta.url), "utf8");
  const answer = read("build", "--help");
  const help = answer.kind === "answer" ? answer.text : "";
  expect(help).toContain("Examples:");
  expect(/```text\n(Usage:.*?)```/s.exec(reference)?.[1]).toBe(help);
});
