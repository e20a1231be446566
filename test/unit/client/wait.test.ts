/** Waits for the end of a job with runSync and wait: duration, and errors. */
import { describe, expect, test } from "vitest";
import {
  JobCancelledError,
  JobFailedError,
  JobTimedOutError,
  WaitTimeoutError,
} from "../../../runtime/client/index.ts";
import { hangUp, json, playing, type Step } from "./service-double.ts";
import { TestClock } from "./test-clock.ts";

const AT = "/v2/my%20endpoint";
const completed = json({
  id: "j",
  status: "COMPLETED",
  output: { n: 1 },
  delayTime: 3,
  executionTime: 5,
});
const running = json({ id: "j", status: "IN_PROGRESS" });
const sync = (wait: number, reply: Step["reply"]): Step => ({
  request: `GET ${AT}/status-sync/j?wait=${wait}`,
  reply,
});
const runSync = (wait: number, reply: Step["reply"]): Step => ({
  request: `POST ${AT}/runsync?wait=${wait}`,
  body: { input: {} },
  reply,
});

/** An answer that comes after `ms` of the clock's time. */
const after =
  (clock: TestClock, ms: number, reply: Step["reply"]): Step["reply"] =>
  (response, request) => {
    clock.advance(ms);
    reply(response, request);
  };

describe("wait", () => {
  test("polls until the job is COMPLETED, and returns its output", () => {
    const clock = new TestClock();
    return playing(
      [sync(90_000, after(clock, 90_000, running)), sync(90_000, completed)],
      async ({ endpoint }) => {
        expect(await endpoint.wait("j")).toEqual({
          id: "j",
          status: "COMPLETED",
          output: { n: 1 },
          delayTime: 3,
          executionTime: 5,
        });
        expect(clock.slept).toEqual([]);
      },
      { clock },
    );
  });

  test("pauses between polls of a service that answers at once", () =>
    playing([sync(90_000, running), sync(90_000, completed)], async ({ endpoint, clock }) => {
      await endpoint.wait("j");
      expect(clock.slept).toEqual([500]);
    }));

  test("survives a broken connection", () =>
    playing([sync(90_000, hangUp), sync(90_000, completed)], async ({ endpoint }) => {
      expect((await endpoint.wait("j")).output).toEqual({ n: 1 });
    }));

  const failure = { type: "process_exited", message: "The process was ended.", signal: "SIGKILL" };
  test.each([
    ["FAILED", JobFailedError, "job_failed", "Job j failed: boom"],
    ["TIMED_OUT", JobTimedOutError, "job_timed_out", "Job j ran out of its execution time: boom"],
    ["CANCELLED", JobCancelledError, "job_cancelled", "Job j was cancelled: boom"],
  ])("a job that ends %s is thrown with its failure", (jobStatus, errorClass, code, message) =>
    playing(
      [sync(90_000, json({ id: "j", status: jobStatus, error: "boom", failure }))],
      async ({ endpoint }) => {
        const error = await endpoint.wait("j").catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(errorClass);
        expect(error).toMatchObject({
          code,
          message,
          failure,
          job: { id: "j", status: jobStatus },
        });
      },
    ),
  );

  test("ends exactly after timeoutMs, while the service still holds the answer", async () => {
    const clock = new TestClock("manual");
    const asked = Promise.withResolvers<void>();
    await playing(
      [sync(4000, after(clock, 1500, running)), sync(2500, () => asked.resolve())],
      async ({ endpoint }) => {
        const call = endpoint.wait("j", { timeoutMs: 4000 }).catch((thrown: unknown) => thrown);
        await asked.promise;
        clock.advance(2500);
        const error = await call;
        expect(error).toBeInstanceOf(WaitTimeoutError);
        expect(error).toMatchObject({
          code: "wait_timeout",
          jobId: "j",
          timeoutMs: 4000,
          lastStatus: "IN_PROGRESS",
          message:
            "Job j is still IN_PROGRESS after 4000 ms. It goes on: wait again, or cancel it.",
        });
      },
      { clock },
    );
  });

  test("a signal ends the wait with its reason", async () => {
    const asked = Promise.withResolvers<void>();
    const stop = new AbortController();
    await playing(
      [sync(60_000, () => asked.resolve())],
      async ({ endpoint }) => {
        const call = endpoint
          .wait("j", { timeoutMs: 60_000, signal: stop.signal })
          .catch((thrown: unknown) => thrown);
        await asked.promise;
        stop.abort(new Error("enough"));
        expect(await call).toMatchObject({ message: "enough" });
      },
      { clock: new TestClock("manual") },
    );
  });
});

describe("runSync", () => {
  test("returns the job that ended within the first answer", () =>
    playing([runSync(90_000, completed), runSync(2000, completed)], async ({ endpoint }) => {
      expect((await endpoint.runSync({})).output).toEqual({ n: 1 });
      expect((await endpoint.runSync({}, { waitMs: 2000 })).status).toBe("COMPLETED");
    }));

  test("continues with status-sync after the service's wait", () =>
    playing([runSync(1000, running), sync(90_000, completed)], async ({ endpoint }) => {
      expect((await endpoint.runSync({}, { waitMs: 1000 })).output).toEqual({ n: 1 });
    }));

  test("throws the job's failure", () =>
    playing(
      [runSync(90_000, json({ id: "j", status: "FAILED", error: "boom" }))],
      async ({ endpoint }) => {
        await expect(endpoint.runSync({})).rejects.toBeInstanceOf(JobFailedError);
      },
    ));

  test("timeoutMs covers the submission and the wait after it", async () => {
    const clock = new TestClock("manual");
    const asked = Promise.withResolvers<void>();
    await playing(
      [runSync(1000, after(clock, 1000, running)), sync(4000, () => asked.resolve())],
      async ({ endpoint }) => {
        const call = endpoint
          .runSync({}, { waitMs: 1000, timeoutMs: 5000 })
          .catch((thrown: unknown) => thrown);
        await asked.promise;
        clock.advance(4000);
        expect(await call).toMatchObject({
          name: "WaitTimeoutError",
          jobId: "j",
          lastStatus: "IN_PROGRESS",
        });
      },
      { clock },
    );
  });

  test("a timeoutMs shorter than the service's wait shortens the wait, so that the job's id is known", () => {
    const clock = new TestClock("manual");
    return playing(
      [runSync(1000, after(clock, 1000, running))],
      async ({ endpoint }) => {
        await expect(endpoint.runSync({}, { timeoutMs: 300 })).rejects.toMatchObject({
          name: "WaitTimeoutError",
          jobId: "j",
        });
      },
      { clock },
    );
  });
});
