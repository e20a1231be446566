/** Writes jobs as JUnit XML: a suite for each endpoint, a test case for each job. */
import { XMLBuilder } from "fast-xml-parser";
import type { JobRecord } from "../../index.ts";

const MS_PER_SECOND = 1_000;

/** Characters that XML 1.0 cannot contain, escaped or not. */
const UNFIT = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  format: true,
  suppressEmptyNode: true,
});

/** @param jobs ended jobs in the order of their ends, then other jobs */
export function junitReport(jobs: readonly JobRecord[]): string {
  const suites = [...Map.groupBy(jobs, ({ endpointId }) => endpointId)];
  return builder.build({
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      "@name": "sv-emulate",
      ...countsOf(jobs),
      testsuite: suites.map(([endpointId, own]) => ({
        "@name": endpointId,
        ...countsOf(own),
        "@timestamp": new Date(Math.min(...own.map((job) => job.submittedAt))).toISOString(),
        testcase: own.map(caseOf),
      })),
    },
  });
}

function countsOf(jobs: readonly JobRecord[]) {
  const count = (kind: Kind) => jobs.filter((job) => kindOf(job) === kind).length;
  const timeMs = jobs.reduce((sum, { executionTime = 0 }) => sum + executionTime, 0);
  return {
    "@tests": jobs.length,
    "@failures": count("failed"),
    "@errors": 0,
    "@skipped": count("skipped"),
    "@time": seconds(timeMs),
  };
}

type Kind = "passed" | "failed" | "skipped";

/** A cancelled or unfinished job is skipped: it shows nothing about its handler. */
function kindOf({ status }: JobRecord): Kind {
  if (status === "COMPLETED") return "passed";
  return status === "FAILED" || status === "TIMED_OUT" ? "failed" : "skipped";
}

function caseOf(job: JobRecord) {
  const kind = kindOf(job);
  return {
    "@classname": job.endpointId,
    "@name": job.id,
    "@time": seconds(job.executionTime ?? 0),
    ...(kind === "failed" && { failure: failureOf(job) }),
    ...(kind === "skipped" && { skipped: { "@message": job.status } }),
  };
}

function failureOf({ status, error = status, failure }: JobRecord) {
  const details = [failure?.stack ?? error, ...(failure?.lastLogLines ?? [])];
  return {
    "@type": failure?.type ?? status,
    "@message": fit(error),
    "#text": fit(details.join("\n")),
  };
}

function fit(text: string): string {
  return text.toWellFormed().replaceAll(UNFIT, "\uFFFD");
}

function seconds(ms: number): string {
  return (ms / MS_PER_SECOND).toFixed(3);
}
