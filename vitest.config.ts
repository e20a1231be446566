/**
 * Sets of tests: `unit` runs from source, and in a full run `forwarded` after it; then `model` plays random histories on two
 * stores, and `e2e` starts the built programs and foreign ones. None waits for all files of the one before. When all these are over
 * in a full run, `e2e-alone` starts programs one file at a time.
 */
import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.ts";
import { LOOK_MS, TEST_MS } from "./test/setup/patience.ts";
import { IS_FULL } from "./test/setup/size.ts";
import { temporaryRoot } from "./test/setup/temporary-root.ts";

if (Number.parseInt(process.versions.node) < 24) {
  throw new Error(
    `The tests need Node 24, this is ${process.version}: use npm test, or put node_modules/.bin first in PATH.`,
  );
}

/** Cache for programs and threads that tests start. Translating the source takes a thread 150 ms of 200. */
const compileCache = `${import.meta.dirname}/node_modules/.cache/sv-runtime/compiled`;

process.env["TMPDIR"] = await temporaryRoot();

/** More than cores, for much of the time of most files is waiting. */
const FILES_AT_ONCE = availableParallelism() + 2;

/** In the full run they measure time and memory, which are to be theirs alone. */
const aloneFiles = [
  ...(IS_FULL ? ["test/e2e/balance/servers.test.ts", "test/e2e/jobs/deadline.test.ts"] : []),
  "test/e2e/cluster/torture.full.test.ts",
  "test/e2e/dashboard/load.full.test.ts",
  "test/e2e/http/load.full.test.ts",
];

/** Tests of the HTTP interface once more: each request comes to a replica that has nothing, and is passed on to another one. */
const forwarded: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "forwarded",
    maxWorkers: FILES_AT_ONCE,
    include: [
      "test/conformance/**/*.test.ts",
      "test/unit/http/{balancing,jobs,live-workers,management,openai,operation/{dialects,limits},streams}/**/*.test.ts",
      "test/unit/http/emulator/observe/origins.test.ts",
      "test/unit/live/**/*.test.ts",
    ],
    // What several replicas answer in another way, or the harness's two that are one engine; and what counts turns.
    exclude: [
      "test/unit/http/management/{catalog,registry-auths}/graphql.test.ts",
      "test/unit/http/jobs/{change-matching,large-texts}.test.ts",
      "test/unit/http/management/billing/v1.test.ts",
      "test/unit/http/management/rest-v2/{losses,quotas}.test.ts",
      "test/unit/http/management/graphql/replicas.test.ts",
    ],
    globalSetup: ["test/setup/shared-postgres.ts"],
    env: { NODE_COMPILE_CACHE: compileCache, SV_TEST_FORWARDED: "1" },
    unstubEnvs: true,
    sequence: { groupOrder: 0 },
  },
};

const startsPrograms = { globalSetup: ["test/setup/built.ts"] };

export default defineConfig({
  test: {
    // Files of `npm run test:full` alone.
    exclude: IS_FULL ? [] : ["**/*.full.test.ts"],
    sequence: { sequencer: LongestFirst },
    // A process for each file, which loads the source anew, takes longer than most tests.
    isolate: false,
    // Node runs the source as it is, in less time than what Vite would make of it.
    experimental: { viteModuleRunner: false },
    setupFiles: ["test/setup/own-name.ts"],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: LOOK_MS } },
    env: { NODE_COMPILE_CACHE: compileCache },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          maxWorkers: FILES_AT_ONCE,
          include: ["test/{unit,contract,conformance}/**/*.test{,-d}.ts", "test/tidy.test.ts"],
          globalSetup: ["test/setup/shared-postgres.ts"],
          unstubEnvs: true,
          sequence: { groupOrder: 0 },
        },
      },
      ...(IS_FULL ? [forwarded] : []),
      {
        extends: true,
        test: {
          name: "model",
          maxWorkers: FILES_AT_ONCE,
          include: ["test/model/**/*.test.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...startsPrograms,
          name: "e2e",
          maxWorkers: FILES_AT_ONCE,
          include: ["test/e2e/**/*.test.ts"],
          exclude: aloneFiles,
          globalSetup: [
            ...startsPrograms.globalSetup,
            "test/setup/shared-docker.ts",
            "test/setup/shared-postgres.ts",
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...startsPrograms,
          name: "e2e-alone",
          include: aloneFiles,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
