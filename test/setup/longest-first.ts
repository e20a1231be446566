/** The order in which test files begin: the longest first, for one that begins last would leave a core idle at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of half a minute or more, in a full run of a minute. */
const LONGEST = [
  "test/e2e/cluster/torture.test.ts",
  "test/e2e/crash/kill-at-every-fsync.test.ts",
  "test/model/model.test.ts",
  "test/model/fuzz.test.ts",
  "test/e2e/crash/kill-anywhere.test.ts",
  "test/e2e/docker/launcher-failures.test.ts",
  "test/e2e/starters/starters.test.ts",
  "test/e2e/runtime/long-runs.test.ts",
];

/** All others come in the order that the runner itself would choose. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // It is the runner's sort, not an array's.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place === -1 ? LONGEST.length : place;
}
