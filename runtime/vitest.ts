/** `sv-runtime/vitest`: matchers for jobs, registered with vitest as soon as this is imported. */
import { expect } from "vitest";
import { jobMatchers, type JobMatchers } from "./job-matchers.ts";

declare module "vitest" {
  interface Matchers<R, T> extends JobMatchers<R> {}
}

expect.extend(jobMatchers);

export type { JobLike, JobMatchers } from "./job-matchers.ts";
