/** Env files, and messages about lines that set no variable. */
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readEnvFiles } from "../../../../emulator/cli/config/read-env-files.ts";
import { gatherStartOptions } from "../../../../emulator/cli/serve/start-options.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

async function read(files: Readonly<Record<string, string>>) {
  await using tree = await temporaryTree(files);
  return Object.fromEntries(await readEnvFiles(Object.keys(files), tree.root));
}

test("variables have their file and line, and a later file wins", async () => {
  const first = `# a comment\n\nA=1\nexport B = 'two words' # and why\nKEY="-----\nmore=\n-----"\nC=\n`;
  expect(await read({ "1.env": first, "2.env": "A=2\r\n" })).toEqual({
    A: { value: "2", source: "2.env:1" },
    B: { value: "two words", source: "1.env:4" },
    KEY: { value: "-----\nmore=\n-----", source: "1.env:5" },
    C: { value: "", source: "1.env:8" },
  });
});

test.each([
  ["no assignment", "A=1\nsecret-half", /^a\.env:2: expected NAME=value/],
  ["an invalid name", "1A=1", /^a\.env:1: expected NAME=value/],
  ["an open quote", 'A=1\nB="x\ny', /^a\.env:2: the value of B has no closing "$/],
])("%s is refused with its line number, without its text", async (_, text, sentence) => {
  await expect(read({ "a.env": text })).rejects.toThrow(sentence);
  await expect(read({ "a.env": text })).rejects.not.toThrow("secret-half");
});

test("a missing file is named, with a similar one", async () => {
  await using tree = await temporaryTree({ ".env.local": "" });
  await expect(readEnvFiles([".env.locl"], tree.root)).rejects.toThrow(
    "--env-file: .env.locl does not exist; did you mean .env.local?",
  );
});

test("env files add the variables that the environment does not have", async () => {
  await using tree = await temporaryTree({ "a.js": "", ".env": "A=file\nB=file\nC=same" });
  const environment = { A: "process", C: "same" };
  const inputs = await gatherStartOptions(
    { targets: ["a.js"], flags: { envFile: [".env"] } },
    tree.root,
    environment,
  );
  expect(environment).toEqual({ A: "process", B: "file", C: "same" });
  expect([...inputs.fileVariables.keys()]).toEqual(["B", "C"]);
});

test("env files are read again, and handlers get another environment only if a value has changed", async () => {
  await using tree = await temporaryTree({ "a.js": "", ".env": "A=1\nB=1\nC=1" });
  const environment: Record<string, string | undefined> = { C: "process" };
  const flags = { envFile: [".env"] };
  const inputs = await gatherStartOptions({ targets: ["a.js"], flags }, tree.root, environment);

  const same = await inputs.again();
  expect(same.handlers).toEqual(inputs.handlers);
  expect([...same.files]).toEqual([tree.path(".env")]);

  await writeFile(tree.path(".env"), "# written anew\nA=2\nC=2\nD=2");
  const changed = await inputs.again();
  expect(environment).toEqual({ A: "2", C: "process", D: "2" });
  expect(changed.handlers).toEqual([{ ...inputs.handlers[0], env: { SV_ENV_REVISION: "1" } }]);

  await writeFile(tree.path(".env"), "no assignment");
  await expect(inputs.again()).rejects.toThrow(/expected NAME=value/);
  expect(environment).toEqual({ A: "2", C: "process", D: "2" });
});
