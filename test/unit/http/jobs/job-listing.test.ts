/** The list of jobs that operators see: its filters, its pages, its count. */
import { expect, it } from "vitest";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { JobWindow } from "../../../../emulator/core/jobs/job-filter.ts";
import { storeWith } from "../../engine/store-with.ts";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

interface Page {
  readonly jobs: readonly { readonly id: string }[];
  readonly next?: string;
  readonly count?: { readonly jobs: number; readonly more: boolean };
}

async function list(service: TestHttp, query = ""): Promise<Page> {
  const { status, json } = await service.call("GET", `/emulator/jobs${query}`);
  expect(status).toBe(200);
  return json as Page;
}

const idsOf = ({ jobs }: Page) => jobs.map(({ id }) => id);

it("the list shows the status of each job, and the failure of failed jobs", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  const worker = await service.test.connectWorker();
  const failed = await service.run();
  await clock.advance(40);
  await worker.fail(await worker.nextJob(), { message: "no such model" });
  const waiting = await service.run();
  const submittedAt = "2026-01-01T00:00:00.000Z";
  const endedAt = "2026-01-01T00:00:00.040Z";
  expect(await list(service)).toStrictEqual({
    jobs: [
      { id: waiting, endpointId: "echo", status: "IN_QUEUE", submittedAt: endedAt, attempt: 0 },
      {
        ...{ id: failed, endpointId: "echo", status: "FAILED", submittedAt },
        ...{ startedAt: submittedAt, endedAt, delayTime: 0, executionTime: 40, attempt: 1 },
        ...{ workerId: worker.worker.id, version: 1 },
        ...{ errorType: "handler_error", error: "no such model" },
      },
    ],
  });
});

it("`next` leads through the jobs of all endpoints, while jobs come and go", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  const ids: string[] = [];
  for (let nth = 0; nth < 5; nth += 1) ids.unshift(await service.run(nth % 2 ? "echo" : "other"));
  const first = await list(service, "?limit=2");
  expect(idsOf(first)).toEqual(ids.slice(0, 2));
  await service.run();
  await service.call("GET", `/v2/echo/status/${ids[1]}?ttl=1`);
  await service.test.clock.advance(1);
  const second = await list(service, `?limit=2&cursor=${first.next}`);
  expect(idsOf(second)).toEqual(ids.slice(2, 4));
  const last = await list(service, `?limit=1&cursor=${second.next}`);
  expect(idsOf(last)).toEqual(ids.slice(4));
  expect(last).not.toHaveProperty("next");
});

it("filters by several statuses, a time, a text and durations can be combined and counted", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  const worker = await service.test.connectWorker();
  const failed = await service.run();
  await worker.fail(await worker.nextJob(), { message: "CUDA out of memory" });
  await clock.advance(1_000);
  const cancelled = await service.run();
  await service.call("POST", `/v2/echo/cancel/${cancelled}`);
  await clock.advance(1_000);
  const waiting = await service.run();
  const found = async (query: string) => idsOf(await list(service, query));
  expect(await found("?status=FAILED,IN_QUEUE")).toEqual([waiting, failed]);
  expect(await found("?status=FAILED&status=CANCELLED")).toEqual([cancelled, failed]);
  expect(await found("?since=2026-01-01T00:00:01Z")).toEqual([waiting, cancelled]);
  expect(await found("?until=2026-01-01T00:00:01.000Z")).toEqual([failed]);
  expect(await found(`?since=${Date.UTC(2026, 0, 1) + 1_001}`)).toEqual([waiting]);
  expect(await found("?search=cuda%20OUT")).toEqual([failed]);
  expect(await found("?search=handler_err")).toEqual([failed]);
  expect(await found(`?search=${cancelled.slice(-14)}`)).toEqual([cancelled]);
  expect(await found("?kind=sync")).toEqual([]);
  expect(await found("?minDelay=0")).toEqual([failed]);
  expect(await list(service, "?status=&limit=1&count=true")).toMatchObject({
    jobs: [{ id: waiting }],
    count: { jobs: 3, more: false },
  });
});

it("a page and a count examine a bounded number of jobs", async () => {
  const asked: JobWindow[] = [];
  const memory = createMemoryStore();
  const endless = async (window: JobWindow) => {
    asked.push(window);
    return (window.beforeSeq ?? 1_000_001) - window.maxLooked;
  };
  const store = storeWith(memory, {
    findJobs: async (window) => ({ jobs: [], nextSeq: await endless(window) }),
    countJobs: async (window) => ({ count: 1, nextSeq: await endless(window) }),
  });
  await using service = await startTestHttp({ store });
  const page = await list(service, "?search=nothing%20has%20this");
  expect(page).toStrictEqual({ jobs: [], next: expect.any(String) as string });
  const looked = () => asked.splice(0).reduce((sum, { maxLooked }) => sum + maxLooked, 0);
  expect(looked()).toBe(10_000);
  await list(service, `?search=nothing%20has%20this&cursor=${page.next}`);
  expect(asked[0]?.beforeSeq).toBe(990_001);
  expect(looked()).toBe(10_000);
  const { count } = await list(service, "?search=x&count=true");
  expect(count).toEqual({ jobs: 100, more: true });
  expect(looked()).toBe(110_000);
});

it("the count goes up to 10,000 and says that there are more", async () => {
  const store = storeWith(createMemoryStore(), {
    countJobs: async ({ limit, beforeSeq = 20_001 }) => ({
      count: Math.min(limit, 2_000),
      nextSeq: beforeSeq - 2_000,
    }),
  });
  await using service = await startTestHttp({ store });
  expect((await list(service, "?count=true")).count).toEqual({ jobs: 10_000, more: true });
});

it.each([
  ["status=done", /^status\.0 must be one of IN_QUEUE, .*; got "done"$/],
  ["since=yesterday", /^since must be an instant in ISO 8601, or ms since 1970; got "yesterday"$/],
  ["since=2026-99-99", /^since must be an instant in ISO 8601/],
  ["minDelay=-1", /^minDelay must be one integer of 0 or more \(ms\)$/],
  ["kind=batch", /^kind must be one of async, sync; got "batch"$/],
  ["cursor=12", /^cursor must be the `next` of the previous answer$/],
  [`search=${"x".repeat(201)}`, /^search must be at most 200 characters$/],
  ["endpointId=a&endpointId=b", /^endpointId must be one id of an endpoint$/],
])("the list refuses ?%s", async (query, problem) => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", `/emulator/jobs?${query}`);
  expect(json).toMatchObject({ status: 400, code: "invalid_request" });
  expect((json as { problems: string[] }).problems[0]).toMatch(problem);
});
