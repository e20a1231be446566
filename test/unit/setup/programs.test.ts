/** The set-up of the tests installs the programs that they and the documents' commands call. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  needlessPrograms,
  type ProgramCalls,
  programCalls,
  programOffences,
} from "../../tidy/programs.ts";
import { parse } from "../../tidy/source.ts";
import { isSource, textFiles } from "../../tidy/tree.ts";
import { documents } from "../docs/documents.ts";

const sources = textFiles()
  .filter((file) => isSource(file) && /^(?:test|scripts)\//.test(file.path))
  .map((file) => parse(file.path, file.text));

describe("in this project", () => {
  let calls: ProgramCalls;
  beforeAll(() => {
    calls = programCalls(sources, documents());
  });

  test("each called program is on every Debian, or its tests ask the set-up for it", () => {
    expect(programOffences(calls)).toEqual([]);
  });

  test("each listed program is called", () => {
    expect(needlessPrograms(calls)).toEqual([]);
    expect(needlessPrograms(programCalls([], []))).toEqual(expect.arrayContaining(["curl", "sed"]));
  });
});

const at = "test/unit/x.test.ts";
const nodes = `import { execFile, spawn } from "node:child_process";`;
const asks = `whatIsMissing("tests with curl", ["curl"]);`;

/** Programs in files with these texts, by path. */
function offencesOf(files: Readonly<Record<string, string>>): readonly string[] {
  const parsed = Object.entries(files).map(([path, text]) => parse(path, text));
  return programOffences(programCalls(parsed, []));
}

/** Programs in a document with this block. */
function offencesOfTyping(code: string): readonly string[] {
  const text = `# X\n\n\`\`\`sh\n${code}\n\`\`\`\n`;
  return programOffences(programCalls([], [{ path: "docs/x.md", text }]));
}

test.each([
  `spawn("netcat", []);`,
  `promisify(execFile)("/usr/bin/netcat");`,
  `const run = promisify(execFile); await run("netcat");`,
  `const go = (name: string) => spawn(name, []); go("netcat");`,
  `class A { #go(name: string) { spawn(name); } b() { this.#go("netcat"); } }`,
  `spawn("sh", ["-c", "true | { sleep 1 && netcat; }"]);`,
  `spawn("curl", []);`,
])("a missing program is found in a test: %s", (text) => {
  expect(offencesOf({ [at]: `${nodes} ${text}` })).toHaveLength(1);
});

test.each([
  `${nodes} spawn(process.execPath, ["netcat"]); spawn("sleep", ["1"]);`,
  `${nodes} ${asks} spawn("curl", []);`,
  `const text = 'spawn("netcat")'; stage.run("netcat"); spawn("netcat");`,
])("an allowed call is no offence: %s", (text) => {
  expect(offencesOf({ [at]: text })).toEqual([]);
});

test("a function that starts its first argument is recognized where it is imported", () => {
  const run = `${nodes} export const make = () => ({ async run(name: string) { spawn(name); } });`;
  const user = `import { make } from "../run.ts"; make().run("curl");`;
  const offence = `${at} starts curl and does not ask the set-up for it`;
  expect(offencesOf({ "test/unit/run.ts": run, [at]: user })).toEqual([]);
  expect(offencesOf({ "test/run.ts": run, [at]: user })).toEqual([offence]);
  expect(offencesOf({ "test/run.ts": `${run} ${asks}`, [at]: user })).toEqual([]);
});

test.each([
  ["netcat -l 80", "docs/x.md calls netcat, which no set-up of the tests installs"],
  ["A=1 curl -s x | sed s/a/b/", "docs/x.md calls curl, which no test asks the set-up for"],
  ['ID=$(if true; then netcat "$X"; fi) # curl', /netcat/],
  ["for i in 1 2; do\n  sed s/a/b/ <(netcat) > /tmp/x\ndone", /netcat/],
])("a missing program is found in a document: %s", (code, says) => {
  const [offence] = offencesOfTyping(code);
  expect(offence).toEqual(typeof says === "string" ? says : expect.stringMatching(says));
});

test("shell code that cannot be parsed is refused", () => {
  expect(() => offencesOfTyping("sv-emulate job <id>")).toThrow("syntax error");
});
