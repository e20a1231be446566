/** Bills over HTTP: workers from their first readiness to their end, in periods and groups. */
import { expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";

const HOUR_MS = 3_600_000;

it("a worker is billed from its readiness, by default by endpoint and day", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  await service.test.connectWorker();
  await service.test.addEndpoint("other");
  await clock.advance(23 * HOUR_MS);
  const { worker } = await service.test.connectWorker("other");
  await clock.advance(2 * HOUR_MS);
  service.test.engine.usage.ended(worker.id);
  await clock.advance(HOUR_MS);
  const { json, status } = await service.call("GET", "/v1/billing/endpoints");
  expect({ json, status }).toStrictEqual({
    status: 200,
    json: [
      line("echo", "2026-01-01", 24),
      line("other", "2026-01-01", 1),
      line("echo", "2026-01-02", 2),
      line("other", "2026-01-02", 1),
    ],
  });
  const byWorker = "/v1/billing/endpoints?grouping=podId&bucketSize=year&endpointId=other";
  const one = await service.call("GET", byWorker);
  expect(one.json).toMatchObject([{ podId: worker.id, timeBilledMs: 2 * HOUR_MS }]);
});

/** Two processors at 4 cents an hour. */
function line(endpointId: string, day: string, hours: number) {
  return {
    amount: expect.closeTo(hours * 0.08) as number,
    time: `${day}T00:00:00.000Z`,
    timeBilledMs: hours * HOUR_MS,
    diskSpaceBilledGb: 50,
    endpointId,
  };
}

it("only the time between startTime and endTime is billed", async () => {
  await using service = await startTestHttp();
  await service.test.connectWorker();
  await service.test.clock.advance(10 * HOUR_MS);
  const between = "startTime=2026-01-01T02:30:00Z&endTime=2026-01-01T04:00:00%2B00:00";
  const { json } = await service.call("GET", `/v1/billing/endpoints?bucketSize=hour&${between}`);
  expect(json).toMatchObject([
    { time: "2026-01-01T02:00:00.000Z", timeBilledMs: HOUR_MS / 2 },
    { time: "2026-01-01T03:00:00.000Z", timeBilledMs: HOUR_MS },
  ]);
});

it("a network volume is billed from its creation to its deletion, each size for its duration", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  const order = { name: "models", size: 100, dataCenterId: "EU-RO-1" };
  const { json: made } = await service.call("POST", "/v1/networkvolumes", { body: order });
  const path = `/v1/networkvolumes/${(made as { id: string }).id}`;
  await clock.advance(HOUR_MS);
  await service.call("PATCH", path, { body: { name: "other", size: 100 } });
  await clock.advance(HOUR_MS);
  await service.call("PATCH", path, { body: { size: 300 } });
  await clock.advance(HOUR_MS);
  await service.call("DELETE", path);
  await clock.advance(HOUR_MS);
  const bill = await service.call("GET", "/v1/billing/networkvolumes?bucketSize=hour");
  const hourOf = (size: number) => expect.closeTo((size * 0.07) / 730, 9) as number;
  expect(bill.json).toMatchObject([
    { time: "2026-01-01T00:00:00.000Z", amount: hourOf(100), diskSpaceBilledGb: 100 },
    { time: "2026-01-01T01:00:00.000Z", amount: hourOf(100), diskSpaceBilledGb: 100 },
    { time: "2026-01-01T02:00:00.000Z", amount: hourOf(300), diskSpaceBilledGb: 300 },
  ]);
  // A change to the present size began no new entry.
  expect(await service.test.engine.usage.usages()).toHaveLength(2);
});

it("the bill is empty without pods and volumes", async () => {
  await using service = await startTestHttp();
  for (const path of ["/v1/billing/pods", "/v1/billing/networkvolumes"]) {
    expect(await service.call("GET", path)).toMatchObject({ status: 200, json: [] });
  }
});

it.each([
  ["endpoints?bucketSize=minute", "bucketSize must be one of hour, day, week, month, year"],
  ["endpoints?startTime=yesterday", "startTime must be an instant like 2026-01-31T00:00:00Z"],
  ["pods?grouping=endpointId", "grouping must be one of podId, gpuTypeId"],
])("/billing/%s is refused with the allowed values", async (path, problem) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("GET", `/v1/billing/${path}`);
  expect({ status, json }).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  expect((json as { problems: string[] }).problems[0]).toContain(problem);
});

it("unknown parameters are ignored, as by the live service", async () => {
  await using service = await startTestHttp();
  const { status } = await service.call("GET", "/v1/billing/pods?colour=blue");
  expect(status).toBe(200);
});
