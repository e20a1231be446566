/** All jobs that match a filter are cancelled or retried. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

interface Changed {
  readonly matched: number;
  readonly done: number;
  readonly refused: number;
  readonly more: boolean;
  readonly next?: string;
}

async function change(service: TestHttp, what: "cancel" | "retry", body: unknown) {
  const { status, json } = await service.call("POST", `/emulator/jobs/${what}`, { body });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as Changed;
}

async function statusesOf(service: TestHttp, ids: readonly string[]): Promise<string[]> {
  const { json } = await service.call("GET", "/emulator/jobs?limit=100");
  const { jobs } = json as { jobs: { id: string; status: string }[] };
  return ids.map((id) => jobs.find((job) => job.id === id)?.status ?? "gone");
}

const ALL = { refused: 0, more: false };

it("a cancel of matching jobs cancels those that have not ended, and no others", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  const worker = await service.test.connectWorker("echo", { credit: 2 });
  const ids = [];
  for (const endpoint of ["echo", "echo", "echo", "other"]) ids.push(await service.run(endpoint));
  await worker.complete(await worker.nextJob());
  const filter = { endpointId: "echo" };
  expect(await change(service, "cancel", { filter })).toEqual({ matched: 2, done: 2, ...ALL });
  expect(await statusesOf(service, ids)).toEqual([
    ...["COMPLETED", "CANCELLED", "CANCELLED", "IN_QUEUE"],
  ]);
  expect(await change(service, "cancel", { filter })).toEqual({ matched: 0, done: 0, ...ALL });
  expect(await change(service, "cancel", { filter: {} })).toMatchObject({ done: 1 });
});

it("a retry of jobs with a text in their failure keeps the order of submission", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 3 });
  const ids = [await service.run(), await service.run(), await service.run()];
  for (const message of ["out of memory", "no such model", "Out of memory"])
    await worker.fail(await worker.nextJob(), { message });
  const filter = { search: "OUT OF MEMORY", status: "FAILED,COMPLETED" };
  expect(await change(service, "retry", { filter })).toEqual({ matched: 2, done: 2, ...ALL });
  expect(await statusesOf(service, ids)).toEqual(["IN_QUEUE", "FAILED", "IN_QUEUE"]);
  await worker.grant(2);
  const handed = [await worker.nextJob(), await worker.nextJob()];
  expect(handed.map(({ jobId }) => jobId)).toEqual([ids[0], ids[2]]);
  expect(await change(service, "retry", { filter: { status: ["CANCELLED"] } })).toEqual({
    ...{ matched: 0, done: 0, ...ALL },
  });
});

it("a call changes at most `max` jobs, and the calls together visit each job once", async () => {
  await using service = await startTestHttp();
  const ids: string[] = [];
  for (let nth = 0; nth < 5; nth += 1) ids.unshift(await service.run());
  await change(service, "cancel", { filter: {}, max: 1 });
  expect(await statusesOf(service, ids)).toEqual(["CANCELLED", ...Array(4).fill("IN_QUEUE")]);
  const first = await change(service, "cancel", { filter: {}, max: 2 });
  expect(first).toMatchObject({ matched: 2, done: 2, more: true });
  await service.call("POST", `/v2/echo/cancel/${ids[4]}`);
  const newer = await service.run();
  const rest = await change(service, "cancel", { filter: {}, cursor: first.next });
  expect(rest).toEqual({ matched: 1, done: 1, ...ALL });
  expect(await statusesOf(service, [newer])).toEqual(["IN_QUEUE"]);
});

it("a call changes up to 1,000 jobs", async () => {
  await using service = await startTestHttp();
  for (let made = 0; made < 1_050; made += 50)
    await Promise.all(Array.from({ length: 50 }, () => service.run()));
  const first = await change(service, "cancel", { filter: {} });
  expect(first).toMatchObject({ matched: 1_000, done: 1_000, refused: 0, more: true });
  const rest = await change(service, "cancel", { filter: {}, cursor: first.next });
  expect(rest).toEqual({ matched: 50, done: 50, ...ALL });
});

it.each([
  [{}, /^filter is required|^filter must be an object/],
  [{ filter: { status: "done" } }, /^filter\.status\.0 must be one of/],
  [{ filter: { since: {} } }, /^filter\.since must be an instant/],
  [{ filter: { colour: "red" } }, /the key "colour" of filter is unknown/],
  [{ filter: {}, max: 1_001 }, /^max must be an integer from 1 to 1000; got 1001$/],
  [{ filter: {}, cursor: "7" }, /^cursor must be the `next`/],
  [{ filter: {}, maxx: 1 }, /did you mean max\?/],
])("the filter is refused: %j", async (body, problem) => {
  await using service = await startTestHttp();
  const { json } = await service.call("POST", "/emulator/jobs/retry", { body });
  expect(json).toMatchObject({ status: 400, code: "invalid_request" });
  expect((json as { problems: string[] }).problems[0]).toMatch(problem);
});

it("a call for an unknown endpoint changes no job", async () => {
  await using service = await startTestHttp();
  const body = { filter: { endpointId: "none" } };
  const { json } = await service.call("POST", "/emulator/jobs/cancel", { body });
  expect(json).toMatchObject({ status: 404, code: "endpoint_not_found" });
});
