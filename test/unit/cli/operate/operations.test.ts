/** The operations that commands call exist in the service. */
import { expect, test } from "vitest";
import { OPERATIONS as CALLED, pathOf } from "../../../../emulator/cli/operate/operations.ts";
import { OPERATIONS } from "../../../../emulator/http/operations.ts";

test.each(Object.entries(CALLED))("%s is an operation of the service", (name, [method, path]) => {
  expect(OPERATIONS[name]?.path).toBe(path);
  expect(OPERATIONS[name]?.methods).toContain(method);
});

test("parameters of the path are filled in and escaped, and the others form the query", () => {
  expect(pathOf("listJobs", { status: "FAILED", limit: undefined })).toBe(
    "/emulator/jobs?status=FAILED",
  );
  expect(pathOf("readJob", { jobId: "a/b", brief: "true" })).toBe(
    "/emulator/jobs/a%2Fb?brief=true",
  );
  expect(pathOf("cancel", { endpointId: "e", jobId: "?" })).toBe("/v2/e/cancel/%3F");
});
