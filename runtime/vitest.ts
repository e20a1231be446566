/** `sv-runtime/vitest`: registers the matchers for jobs with vitest when it is imported. */
import { expect } from "vitest";
import { jobMatchers, type JobMatchers } from "./job-matchers.ts";

declare module "vitest" {
  interface Matchers<R, T> extends JobMatchers<R> {}
}

expect.extend(jobMatchers);

export type { JobLike, JobMatchers } from "./job-matchers.ts";
