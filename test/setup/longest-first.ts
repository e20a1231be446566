/**
 * Order of test files: set by set, because files of one set share loaded modules. Within a set the longest come first: a late
 * long file would leave a core idle at the end.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SETS = ["unit", "forwarded", "model", "e2e", "e2e-alone"];

/**
 * Files that take more than a quarter of a minute in a run of a few minutes, of the last large set: the others begin while there is enough to do.
 * On a machine that has run them before, the runner knows the times of all.
 */
const LONGEST = [
  "test/e2e/readme.test.ts",
  "test/e2e/http/load.test.ts",
  "test/e2e/docker/build.test.ts",
  "test/e2e/raw/raw-bytes.test.ts",
  "test/e2e/jobs/sleep.test.ts",
  "test/e2e/runtime/long-runs.test.ts",
  "test/e2e/cli/operate.test.ts",
  "test/e2e/docker/launcher-contract.test.ts",
  "test/e2e/docker/launcher.test.ts",
  "test/e2e/crash/kill-at-every-fsync.test.ts",
  "test/e2e/cli/start.test.ts",
  "test/e2e/docker/launcher-failures.test.ts",
  "test/e2e/http/callers.test.ts",
  "test/e2e/crash/kill-anywhere.test.ts",
  "test/e2e/jobs/kill-and-freeze.test.ts",
  "test/e2e/docker/pods.test.ts",
  "test/e2e/objects/worker-storage.test.ts",
  "test/e2e/readme/docs-commands.test.ts",
  "test/e2e/cluster/torture.test.ts",
  "test/e2e/cli/printed-calls.test.ts",
  "test/e2e/http/large-answers.test.ts",
  "test/e2e/webhooks/killed.test.ts",
  "test/e2e/database/starts.test.ts",
  "test/e2e/database/moves.test.ts",
  "test/e2e/jobs/failing-disk.test.ts",
  "test/e2e/dashboard/endpoints.test.ts",
  "test/e2e/dashboard/dashboard.test.ts",
  "test/e2e/dashboard/operating.test.ts",
  "test/e2e/jobs/breakpoint.test.ts",
  "test/e2e/storage/canary.test.ts",
  "test/e2e/jobs/leftovers.test.ts",
  "test/e2e/runtime/sv-worker.test.ts",
];

/** All others come in the order that the runner itself would choose. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // It is the runner's sort, not an array's.
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
