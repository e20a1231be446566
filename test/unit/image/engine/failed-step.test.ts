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

test.each([
  ["npm", ["npm error path /app/node_modules/@a/b", "npm error command sh -c node gen.js"]],
  [
    "pnpm",
    [
      ".../node_modules/@a/b postinstall$ node gen.js",
      ".../node_modules/@a/b postinstall: Failed",
      " ELIFECYCLE  Command failed with exit code 1.",
    ],
  ],
  ["yarn 1", ["error /app/node_modules/@a/b: Command failed.", "Command: node gen.js"]],
  ["yarn", ["➤ YN0009: │ @a/b@npm:1.0.0 couldn't be built successfully (exit code 1)"]],
])("the package of a failed script is named with %s, in a scope too", (_, lines) => {
  const [sentence] = failedStep(ERROR, lines, []);
  expect(sentence).toMatch(/^the install script of @a\/b failed(?:: node gen\.js)?$/u);
});

test.each([
  "npm error code E401",
  "npm error 403 Forbidden - GET https://registry.example/a",
  " ERR_PNPM_FETCH_401  GET https://registry.example/a: Unauthorized - 401",
  "➤ YN0041: │ a@npm:1.0.0: Invalid authentication (as an anonymous user)",
])("the cure of %s is named first", (line) => {
  const said = failedStep(ERROR, ["fetched", line, "done"], []);
  expect(said[0]).toMatch(/^a registry refuses .*--secret id=npmrc/u);
  expect(said[1]).toBe(line);
});

test("the network's reason comes before the lines around it", () => {
  const lines = [
    "npm error path /app/node_modules/a",
    "npm error command sh -c node fetch.js",
    "npm error [TypeError: fetch failed] {",
    "npm error   [cause]: Error: getaddrinfo EAI_AGAIN example.com",
  ];
  expect(failedStep(ERROR, lines, []).slice(0, 2)).toEqual([
    "the install script of a failed: node fetch.js",
    "npm error   [cause]: Error: getaddrinfo EAI_AGAIN example.com",
  ]);
});

test.each([
  ["pnpm", " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with frozen-lockfile"],
  ["yarn 1", "error Your lockfile needs to be updated"],
  ["yarn", "➤ YN0035: │ is-odd@npm:9.9.9: Package not found"],
  ["a shell", "sh: patch-package: not found"],
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
