/** The overview's statements about endpoints. */
import { describe, expect, test } from "vitest";
import {
  concernsOf,
  type Overviewed,
  summaryOf,
  healthOf,
} from "../../../../emulator/dashboard/pages/endpoint/endpoint-health.ts";

const NO_WORKERS = { initializing: 0, ready: 0, draining: 0, unhealthy: 0, lost: 0 };

function endpoint(more: Partial<Overviewed> = {}): Overviewed {
  return {
    id: "resize",
    workersMax: 3,
    jobs: { inQueue: 0, inProgress: 0 },
    workers: NO_WORKERS,
    refusedInProduction: 0,
    newest: { completed: 0, failed: 0 },
    ...more,
  };
}

const failing = endpoint({ newest: { completed: 37, failed: 3 } });

describe("the concern of an endpoint", () => {
  test("is failed jobs, with a link to them", () => {
    expect(concernsOf(failing)).toEqual([
      {
        tone: "bad",
        text: "3 of 40 jobs failed in the last 5 min",
        href: "#/jobs?q=endpoint%3Aresize+status%3Afailed%2Ctimed_out",
      },
    ]);
  });

  test("is an unhealthy worker, with a link to it", () => {
    const ill = endpoint({ workers: { ...NO_WORKERS, unhealthy: 1 } });
    expect(concernsOf(ill)).toMatchObject([
      {
        tone: "bad",
        text: "1 worker is unhealthy",
        href: "#/workers?endpoint=resize&state=unhealthy",
      },
    ]);
  });

  test("is the reason why workers do not start, with a link to them", () => {
    const problem = "no worker can be started: me/box: no Docker engine answers";
    expect(concernsOf(endpoint({ problem }))).toEqual([
      { tone: "bad", text: problem, href: "#/workers?endpoint=resize" },
    ]);
  });

  test("is a job that no worker can take", () => {
    const closed = endpoint({ workersMax: 0, jobs: { inQueue: 1, inProgress: 0 } });
    expect(concernsOf(closed)[0]?.text).toBe("1 job waits, and workersMax is 0");
  });

  test("is a request that production would refuse, as a mere remark", () => {
    const many = endpoint({ refusedInProduction: 412 });
    expect(concernsOf(many)).toMatchObject([
      { tone: "warn", text: "412 requests would have been refused in production" },
    ]);
    expect(healthOf(many).tone).toBe("warn");
  });

  test("is neither a queue with workers nor an idle endpoint", () => {
    const busy = endpoint({
      jobs: { inQueue: 900, inProgress: 3 },
      workers: { ...NO_WORKERS, ready: 3 },
    });
    expect(concernsOf(busy)).toEqual([]);
    expect(concernsOf(endpoint())).toEqual([]);
  });
});

test("an endpoint's state is trouble, working, starting, ready, or no workers", () => {
  const words = [
    failing,
    endpoint({ jobs: { inQueue: 0, inProgress: 1 } }),
    endpoint({ workers: { ...NO_WORKERS, initializing: 1 } }),
    endpoint({ workers: { ...NO_WORKERS, ready: 1 } }),
    endpoint(),
  ].map((each) => healthOf(each).word);
  expect(words).toEqual(["trouble", "working", "starting", "ready", "no workers"]);
});

test("one sentence sums up all endpoints, the worst first", () => {
  expect(summaryOf([endpoint()])).toMatchObject({ word: "The endpoint is well", tone: "good" });
  expect(summaryOf([endpoint(), endpoint()]).word).toBe("All 2 endpoints are well");
  expect(summaryOf([endpoint(), failing])).toMatchObject({
    word: "1 of 2 endpoints needs a look",
    tone: "bad",
  });
  const warned = endpoint({ refusedInProduction: 1 });
  expect(summaryOf([warned, warned])).toMatchObject({
    word: "2 of 2 endpoints need a look",
    tone: "warn",
  });
});
