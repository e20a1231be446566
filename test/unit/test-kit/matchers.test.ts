/** Matchers for jobs, and their messages. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineHandler } from "sv-runtime";
import { startEmulator } from "sv-runtime/emulator";
import type { JobLike } from "sv-runtime/testing";
import "sv-runtime/vitest";

const failed: JobLike = {
  id: "job-1",
  status: "FAILED",
  error: "no such model",
  failure: { type: "handler_error", message: "no such model" },
  logs: ["loading", "not found"],
};
const completed: JobLike = { id: "job-2", status: "COMPLETED", output: { n: [1, 2] } };

test("the matchers accept each end of a service's jobs", async () => {
  await using emulator = await startEmulator({
    port: 0,
    s3: false,
    endpoints: {
      double: {
        handler: defineHandler({
          input: z.object({ n: z.number() }),
          run: async function* ({ input }) {
            yield input.n;
            yield "x".repeat(1_200_000);
            return input.n * 2;
          },
        }),
      },
    },
  });
  const double = emulator.endpoint("double");
  const job = await double.run({ n: 21 });
  expect(job).toBeCompleted();
  expect(job).toHaveOutput(42);
  expect(job).toHaveStreamed([21, expect.stringMatching(/^x{1200000}$/u)]);
  expect(job).not.toHaveFailedWith("invalid_input");
  expect(await double.run({ n: "a" })).toHaveFailedWith("invalid_input", /expected number/u);
});

test("the matchers compare outputs like any value, asymmetric matchers included", () => {
  expect(completed).toHaveOutput({ n: expect.arrayContaining([2]) });
  expect(completed).not.toHaveOutput({ n: [1] });
  expect(failed).not.toHaveOutput(undefined);
  expect(failed).toHaveFailedWith("handler_error", "no such model");
  expect(failed).not.toHaveFailedWith("handler_error", "no model");
});

test("a mismatch shows the status, the failure and the last log lines", () => {
  expect(() => expect(failed).toBeCompleted()).toThrow(
    [
      "expected the job job-1 to be COMPLETED",
      "  status:  FAILED",
      "  failure: handler_error: no such model",
      "  log:",
      "    loading",
      "    not found",
    ].join("\n"),
  );
  expect(() => expect(completed).not.toBeCompleted()).toThrow(
    "expected the job job-2 not to be COMPLETED\n  status:  COMPLETED\n  output:  { n: [ 1, 2 ] }",
  );
});

test("a value that is no job, or has no chunks, is reported as such", () => {
  expect(() => expect({ status: "DONE" }).toBeCompleted()).toThrow(/expected a job, with an id/u);
  expect(() => expect(completed).toHaveStreamed([])).toThrow(/emulator\.endpoint\(id\)\.job/u);
});
