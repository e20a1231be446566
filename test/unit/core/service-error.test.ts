/** The error: its body, its table, and the number of problems in one answer. */
import { describe, expect, it } from "vitest";
import { ERROR_CODES, ServiceError, invalidRequest } from "../../../emulator/core/service-error.ts";

describe("a service error", () => {
  it("has its message, its code and the status of the code, and no problems if there are none", () => {
    const error = new ServiceError("job_not_found", "there is no job x on endpoint y");
    expect(error.toBody()).toStrictEqual({
      error: "there is no job x on endpoint y",
      code: "job_not_found",
      status: 404,
    });
    expect(error).toMatchObject({ status: 404, name: "ServiceError" });
    expect(error).toBeInstanceOf(Error);
  });

  it("keeps its cause and its retry time", () => {
    const cause = new Error("ENOSPC");
    const error = new ServiceError("storage_full", "no room", { cause, retryAfterMs: 1_500 });
    expect(error).toMatchObject({ cause, retryAfterMs: 1_500, status: 507 });
    expect(error.toBody()).not.toHaveProperty("retryAfterMs");
  });
});

it.each(Object.entries(ERROR_CODES))(
  "has the code %s in snake case, with a description",
  (code, row) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(row.status).toBeGreaterThanOrEqual(400);
    expect(row.when).toMatch(/^[^a-z].*\.$/);
  },
);

describe("an invalid request", () => {
  it("has its only problem as the message", () => {
    expect(invalidRequest(["a is wrong"]).toBody()).toStrictEqual({
      error: "a is wrong",
      code: "invalid_request",
      status: 400,
      problems: ["a is wrong"],
    });
  });

  it("has the number of problems beside the first", () => {
    const body = invalidRequest(["a is wrong", "b is wrong", "c is wrong"]).toBody();
    expect(body.error).toBe("a is wrong (and 2 more)");
    expect(body.problems).toEqual(["a is wrong", "b is wrong", "c is wrong"]);
  });

  it("lists twenty problems at most and counts the rest", () => {
    const problems = Array.from({ length: 21 }, (_, index) => `problem ${index}`);
    expect(invalidRequest(problems.slice(0, 20)).problems).toEqual(problems.slice(0, 20));
    expect(invalidRequest(problems).problems).toEqual([...problems.slice(0, 20), "and 1 more"]);
  });
});
