/** What is said first about a failed step of a Dockerfile. */
import { expect, test } from "vitest";
import { failedStep } from "../../../../emulator/image/engine/failed-step.ts";

const ERROR = "The command '/bin/sh -c sh install.sh' returned a non-zero code: 1";

const USAGE = [
  "npm error",
  "npm error Clean install a project",
  "npm error",
  "npm error Options:",
  'npm error     When "true" submit audit reports alongside the current npm command to the',
  "npm error   --bin-links",
  'npm error Run "npm help ci" for more info',
  "npm error A complete log of this run can be found in: /tmp/_logs/a.log",
];

test("npm's reason comes before its help", () => {
  const lines = [
    " ---> Running in 0b8c569b0dea",
    "npm error code EUSAGE",
    "npm error",
    "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
    "npm error",
    "npm error Missing: is-odd@3.0.1 from lock file",
    ...USAGE,
    "Removing intermediate container 0b8c569b0dea",
  ];
  const said = failedStep(ERROR, lines, []);
  expect(said.slice(0, 3)).toEqual([
    "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
    "npm error Missing: is-odd@3.0.1 from lock file",
    ERROR,
  ]);
  expect(said.join("\n")).not.toMatch(/--bin-links|audit reports|intermediate|complete log/u);
});

test("a package without a program for the platform is named, with what can be done", () => {
  const lines = [
    "npm error code 1",
    "npm error path /app/node_modules/better-sqlite3",
    "npm error command failed",
    "npm error command sh -c prebuild-install || node-gyp rebuild --release",
    "npm error gyp ERR! find Python Python is not set from command line or npm configuration",
  ];
  const [sentence] = failedStep(ERROR, lines, []);
  expect(sentence).toMatch(
    /^the install script of better-sqlite3 failed: prebuild-install .* no compiler: use /u,
  );
});

test("a failed script of a package is named, in a scope too", () => {
  const lines = ["npm error path /app/node_modules/@a/b", "npm error command sh -c node gen.js"];
  const [sentence] = failedStep(ERROR, lines, []);
  expect(sentence).toBe("the install script of @a/b failed: node gen.js");
});

test.each([
  ["pnpm", " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with frozen-lockfile"],
  ["yarn 1", "error Your lockfile needs to be updated"],
  ["yarn", "➤ YN0035: │ is-odd@npm:9.9.9: Package not found"],
  ["a shell", "sh: patch-package: not found"],
  ["a registry", "npm error 401 Unauthorized - GET https://registry.example/a"],
])("the line of %s with the reason is the first", (_, line) => {
  const before = Array.from({ length: 30 }, (__, at) => `fetched ${at}`);
  expect(failedStep(ERROR, [...before, line, "done"], [])[0]).toBe(line);
});

test("any other step shows the engine's message and the end of the output", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const said = failedStep(ERROR, lines, []);
  expect([said[0], said.at(-1), said.length]).toEqual([ERROR, "line 39", 13]);
});

test("a sentence of this project comes first, and then what may explain it", () => {
  const lines = ["sh: patch-package: not found", "sv-emulate: the script fails", "line"];
  expect(failedStep(ERROR, lines, ["the script fails"])).toEqual([
    "the script fails",
    "sh: patch-package: not found",
  ]);
});
