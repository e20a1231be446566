/**
 * Order of test files: set by set, because files of one set share loaded modules. Within a set the longest come first: a late
 * long file would leave a core idle at the end.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SETS = ["unit", "forwarded", "model", "e2e", "e2e-alone"];

/**
 * Files of the last large set that take more than ten seconds in a run of a few minutes: the others begin while
 * there is enough to do. A machine that has run them before knows the times of all.
 */
const LONGEST = [
  "test/e2e/docker/launcher.test.ts",
  "test/e2e/docker/build.test.ts",
  "test/e2e/readme.test.ts",
  "test/e2e/cli/start.test.ts",
  "test/e2e/raw/raw-bytes.test.ts",
  "test/e2e/readme/docs-commands.test.ts",
  "test/e2e/cli/config.test.ts",
  "test/e2e/dashboard/dashboard.test.ts",
  "test/e2e/crash/kill-anywhere.test.ts",
  "test/e2e/docker/pods.test.ts",
  "test/e2e/cluster/clocks.test.ts",
  "test/e2e/jobs/deadline.test.ts",
  "test/e2e/elsewhere/cut.test.ts",
  "test/e2e/reload/edits.test.ts",
  "test/e2e/storage/canary.test.ts",
  "test/e2e/objects/worker-storage.test.ts",
  "test/e2e/objects/volumes.test.ts",
  "test/e2e/http/callers.test.ts",
  "test/e2e/jobs/kill-and-freeze.test.ts",
  "test/e2e/jobs/unloadable.test.ts",
  "test/e2e/database/starts.test.ts",
  "test/e2e/database/lives.test.ts",
  "test/e2e/cli/refusals.test.ts",
  "test/e2e/jobs/fixtures.test.ts",
  "test/e2e/live/commands.test.ts",
];

/** All others come in the runner's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // This is the runner's sort, not an array's.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => setOf(a) - setOf(b) || placeOf(a) - placeOf(b));
  }
}

function setOf({ project }: TestSpecification): number {
  return SETS.indexOf(project.name);
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place === -1 ? LONGEST.length : place;
}
