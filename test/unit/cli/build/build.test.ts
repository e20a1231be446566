/** `sv-emulate build`: its arguments, and the parts of an image. */
import path from "node:path";
import { expect, test } from "vitest";
import { buildTarget, imageName } from "../../../../emulator/cli/build/build.ts";
import { buildArgsOf, secretsOf } from "../../../../emulator/cli/build/build-inputs.ts";
import { readCommandLine } from "../../../../emulator/cli/command.ts";
import { UsageError } from "../../../../emulator/cli/usage-error.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

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

test("an argument of the build has a value, or the value of the environment", () => {
  const { flags } = read("build", "--build-arg", "A=1=2", "--build-arg=B") as {
    flags: { buildArg: readonly string[] };
  };
  expect(buildArgsOf(flags.buildArg, { B: "b" })).toEqual({ A: "1=2", B: "b" });
  expect(() => buildArgsOf(["C"], {})).toThrow("--build-arg C is no NAME=value");
  expect(() => buildArgsOf(["=1"], {})).toThrow(UsageError);
});

test("a secret has an id, and comes from a file or the environment", async () => {
  await using files = await temporaryTree({ token: "t" });
  const secrets = secretsOf(["id=a,src=token", "id=b,env=B", "id=B"], files.root, { B: "b" });
  expect([...secrets].map(([id, value]) => [id, Buffer.from(value).toString()])).toEqual([
    ["a", "t"],
    ["b", "b"],
    ["B", "b"],
  ]);
  expect(() => secretsOf(["src=token"], files.root, {})).toThrow("has no id");
  expect(() => secretsOf(["id=a,src=none"], files.root, {})).toThrow("cannot be read: ENOENT");
  expect(() => secretsOf(["id=a"], files.root, {})).toThrow("no environment variable a");
});

test("build refuses flags for serving, and a second directory", () => {
  expect(() => read("build", "--port", "1")).toThrow(UsageError);
  expect(() => read("build", "--tga", "1")).toThrow("(Did you mean --tag?)");
  expect(() => read("build", "a", "b")).toThrow(UsageError);
});

test("a directory named build is served as ./build, and build elsewhere is an ordinary target", () => {
  expect(read("./build")).toMatchObject({ kind: "serve", targets: ["./build"] });
  expect(read("a", "build")).toMatchObject({ kind: "serve", targets: ["a", "build"] });
});

test("a directory means its handler or server, a file its directory", async () => {
  await using files = await temporaryTree({
    "a/handler.ts": "",
    "a/other.js": "",
    "a/server.mjs": "",
    "b/Dockerfile": "",
    "c/server.ts": "",
  });
  const found = async (target: string) => {
    const { directory, program } = await buildTarget(target, files.root);
    const file = program && path.relative(files.root, program.file);
    return [path.relative(files.root, directory), file, program?.kind];
  };
  expect(await found("a")).toEqual(["a", "a/handler.ts", "handler"]);
  expect(await found("a/other.js")).toEqual(["a", "a/other.js", "handler"]);
  expect(await found("a/server.mjs")).toEqual(["a", "a/server.mjs", "server"]);
  expect(await found("b")).toEqual(["b", undefined, undefined]);
  expect(await found("c")).toEqual(["c", "c/server.ts", "server"]);
});

test("a directory without a handler, a server and a Dockerfile is refused", async () => {
  await using files = await temporaryTree({ "a/x.txt": "", "f.txt": "" });
  await expect(buildTarget("a", files.root)).rejects.toThrow(
    "a holds neither a handler (handler.ts or the like), nor a server (server.ts), nor a Dockerfile",
  );
  await expect(buildTarget("b", files.root)).rejects.toThrow("b does not exist");
  await expect(buildTarget("f.txt", files.root)).rejects.toThrow("f.txt is no handler module");
});

test.each([
  ["greet", "greet"],
  ["My Model_v2", "my-model-v2"],
  ["--", "worker"],
  ["é", "worker"],
])("the image of the directory %j is named %s", (directory, name) => {
  expect(imageName(directory)).toBe(name);
});
