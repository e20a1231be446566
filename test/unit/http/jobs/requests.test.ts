/** `GET /requests`: the jobs of an endpoint, and the order of pages. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../http-harness.ts";

interface Page {
  readonly requests: readonly { readonly id: string }[];
  readonly next?: string;
}

async function page(service: TestHttp, query = ""): Promise<Page> {
  const { status, json } = await service.call("GET", `/v2/echo/requests${query}`);
  expect(status).toBe(200);
  return json as Page;
}

function idsOf({ requests }: Page): readonly string[] {
  return requests.map(({ id }) => id);
}

it("the list shows the endpoint's jobs, newest first, with their known fields", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  expect(await page(service)).toStrictEqual({ requests: [] });
  const done = await service.run();
  await clock.advance(250);
  const worker = await service.test.connectWorker();
  const job = await worker.nextJob();
  await clock.advance(40);
  await worker.complete(job, 1);
  const waiting = await service.run();
  await service.test.addEndpoint("other");
  await service.run("other");
  expect(await page(service)).toStrictEqual({
    requests: [
      { id: waiting, status: "IN_QUEUE", submittedAt: "2026-01-01T00:00:00.290Z" },
      {
        id: done,
        status: "COMPLETED",
        submittedAt: "2026-01-01T00:00:00.000Z",
        delayTime: 250,
        executionTime: 40,
        workerId: worker.worker.id,
      },
    ],
  });
});

it("`next` leads through the jobs of one endpoint, while jobs come and go", async () => {
  await using service = await startTestHttp();
  const ids: string[] = [];
  for (let count = 0; count < 25; count += 1) ids.unshift(await service.run());
  const first = await page(service);
  expect(idsOf(first)).toEqual(ids.slice(0, 20));
  await service.run();
  // The last shown job, after which the next page begins, and a job on that page.
  await service.call("GET", `/v2/echo/status/${ids[19]}?ttl=1`);
  await service.call("GET", `/v2/echo/status/${ids[21]}?ttl=1`);
  await service.test.clock.advance(1);
  const second = await page(service, `?limit=3&after=${first.next}`);
  expect(idsOf(second)).toEqual([ids[20], ids[22], ids[23]]);
  expect(await page(service, `?limit=1&after=${second.next}`)).toStrictEqual({
    requests: [expect.objectContaining({ id: ids[24] })],
  });
});

it("the list can be limited to one status, also page by page", async () => {
  await using service = await startTestHttp();
  const ids: string[] = [];
  for (let count = 0; count < 6; count += 1) ids.unshift(await service.run());
  for (const at of [1, 2, 4]) await service.call("POST", `/v2/echo/cancel/${ids[at]}`);
  const first = await page(service, "?status=CANCELLED&limit=2");
  expect(idsOf(first)).toEqual([ids[1], ids[2]]);
  const second = await page(service, `?status=CANCELLED&limit=2&after=${first.next}`);
  expect(idsOf(second)).toEqual([ids[4]]);
  expect(second).not.toHaveProperty("next");
  expect(idsOf(await page(service, "?status=IN_QUEUE"))).toEqual([ids[0], ids[3], ids[5]]);
  expect(idsOf(await page(service, "?status=FAILED"))).toEqual([]);
});

it.each([
  ["limit=0", 'limit must be one integer from 1 to 100; got "0"'],
  ["limit=101", 'limit must be one integer from 1 to 100; got "101"'],
  ["limit=5&limit=5", "limit must be one integer from 1 to 100; got 2 values"],
  [
    "status=done",
    'status must be one of IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, CANCELLED, TIMED_OUT; got "done"',
  ],
  ["after=", 'after must be the `next` of the previous page; got ""'],
  ["after=0", 'after must be the `next` of the previous page; got "0"'],
  ["after=1e400", 'after must be the `next` of the previous page; got "1e400"'],
  [
    `after=${"9".repeat(20)}`,
    `after must be the \`next\` of the previous page; got "${"9".repeat(20)}"`,
  ],
])("the list refuses ?%s", async (query, problem) => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", `/v2/echo/requests?${query}`);
  expect(json).toMatchObject({ status: 400, code: "invalid_request", problems: [problem] });
});

it("the list of an unknown endpoint is empty", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", "/v2/none/requests");
  expect(json).toMatchObject({ status: 404, code: "endpoint_not_found" });
});
