/** Bills in REST v2: the dollars of REST v1, by resource and whole period. */
import { expect, test } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const HOUR_MS = 3_600_000;
/** Two processors at 4 cents an hour. */
const WORKER = 0.08;
const path = "/live/v2/billing";

interface Bill {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

async function billOf(service: TestHttp, below: string): Promise<Bill> {
  const { status, json, text } = await service.call("GET", `${path}${below}`);
  expect(status, text).toBe(200);
  return json as Bill;
}

/** One endpoint for four hours, another in the second and third of them, and a volume of each type in the fourth. */
async function runSome(service: TestHttp): Promise<readonly string[]> {
  const { clock } = service.test;
  await service.test.connectWorker();
  await service.test.addEndpoint("other");
  await clock.advance(HOUR_MS);
  const { worker } = await service.test.connectWorker("other");
  await clock.advance(2 * HOUR_MS);
  service.test.engine.usage.ended(worker.id);
  const volumes: string[] = [];
  for (const type of ["STANDARD", "HIGH_PERFORMANCE"]) {
    const body = { name: type, size: 730, dataCenter: "EU-RO-1", type };
    const { json } = await service.call("POST", "/live/v2/network-volumes", { body });
    volumes.push((json as { readonly id: string }).id);
  }
  await clock.advance(HOUR_MS);
  return volumes;
}

const close = (dollars: number) => expect.closeTo(dollars, 9) as number;

test("workers are billed by endpoint and day, with a total", async () => {
  await using service = await startTestHttp();
  await runSome(service);
  const { records, metadata } = await billOf(service, "/serverless");
  const line = (serverlessId: string, hours: number) => ({
    startTime: "2026-01-01T00:00:00.000Z",
    endTime: "2026-01-02T00:00:00.000Z",
    serverlessId,
    totalAmount: close(hours * WORKER),
    gpuAmount: 0,
    cpuAmount: close(hours * WORKER),
    diskAmount: 0,
    feeAmount: 0,
  });
  expect(records).toEqual([line("echo", 4), line("other", 2)]);
  expect(metadata).toEqual({
    query: {
      startTime: "2025-12-02T00:00:00.000Z",
      endTime: "2026-01-02T00:00:00.000Z",
      bucketSize: "day",
    },
    recordCount: 2,
    uniqueServerlessCount: 2,
    totals: {
      totalAmount: close(6 * WORKER),
      gpuAmount: 0,
      cpuAmount: close(6 * WORKER),
      diskAmount: 0,
      feeAmount: 0,
    },
  });
});

test("one endpoint can be billed alone, and the answer has it in the query", async () => {
  await using service = await startTestHttp();
  await runSome(service);
  const { records, metadata } = await billOf(
    service,
    "/serverless?serverlessId=other&bucketSize=hour&lastN=3",
  );
  const hour = { serverlessId: "other", totalAmount: close(WORKER) };
  expect(records).toMatchObject([
    { startTime: "2026-01-01T02:00:00.000Z", endTime: "2026-01-01T03:00:00.000Z", ...hour },
  ]);
  expect(metadata).toMatchObject({
    query: { startTime: "2026-01-01T02:00:00.000Z", serverlessId: "other" },
    recordCount: 1,
    uniqueServerlessCount: 1,
  });
});

test("volumes are billed by their type, and all resources together by period", async () => {
  await using service = await startTestHttp();
  const [standard, fast] = await runSome(service);
  const ofVolumes = await billOf(service, "/network-volumes?bucketSize=month");
  const hour = close(0.07);
  expect(ofVolumes.records).toHaveLength(2);
  expect(ofVolumes.records).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        networkVolumeId: standard,
        standardAmount: hour,
        highPerformanceAmount: 0,
      }),
      expect.objectContaining({
        networkVolumeId: fast,
        standardAmount: 0,
        highPerformanceAmount: hour,
      }),
    ]),
  );
  const all = await billOf(service, "?bucketSize=year");
  expect(all.records).toMatchObject([
    {
      startTime: "2026-01-01T00:00:00.000Z",
      endTime: "2027-01-01T00:00:00.000Z",
      totalAmount: close(6 * WORKER + 2 * 0.07),
      serverlessCpuAmount: close(6 * WORKER),
      storageStandardAmount: hour,
      storageHighPerformanceAmount: hour,
      podGpuAmount: 0,
      clusterNetworkingAmount: 0,
    },
  ]);
  const first = await service.call("GET", "/v1/billing/networkvolumes?bucketSize=year");
  expect(first.json).toMatchObject([
    { amount: close(0.14), highPerformanceStorageAmount: hour, diskSpaceBilledGb: 1_460 },
  ]);
});

test("both versions give equal dollars", async () => {
  await using service = await startTestHttp();
  await runSome(service);
  const { json } = await service.call("GET", "/v1/billing/endpoints?bucketSize=hour");
  const first = json as readonly { readonly amount: number }[];
  const { metadata, records } = await billOf(service, "/serverless?bucketSize=hour");
  expect(records.map((record) => record["totalAmount"])).toEqual(first.map(({ amount }) => amount));
  const sum = first.reduce((total, { amount }) => total + amount, 0);
  expect(metadata["totals"]).toMatchObject({ totalAmount: close(sum) });
});

test("bills of pods that did not run, of public endpoints and of clusters are empty", async () => {
  await using service = await startTestHttp();
  await runSome(service);
  for (const below of ["/pods", "/endpoints", "/clusters"]) {
    const { records, metadata } = await billOf(service, below);
    expect(records).toEqual([]);
    expect(metadata).toMatchObject({ recordCount: 0, totals: { totalAmount: 0 } });
  }
});

test.each([
  ["startTime=2026-01-01T10:30:00Z&endTime=2026-01-01T12:00:00%2B00:00", "hour", "10:00", "12:00"],
  ["startTime=2026-01-01T10:30:00Z&endTime=2026-01-01T12:00:00.001Z", "hour", "10:00", "13:00"],
])("%s by %s gives a window of whole periods", async (times, bucketSize, from, to) => {
  await using service = await startTestHttp();
  const { metadata } = await billOf(service, `/pods?${times}&bucketSize=${bucketSize}`);
  expect(metadata["query"]).toEqual({
    startTime: `2026-01-01T${from}:00.000Z`,
    endTime: `2026-01-01T${to}:00.000Z`,
    bucketSize,
  });
});

test.each([
  ["lastN=0", 422],
  ["lastN=some", 422],
  ["startTime=yesterday", 422],
  ["bucketSize=decade", 422],
  ["podId=", 422],
  ["lastN=3&startTime=2026-01-01T00:00:00Z", 400],
  ["startTime=2026-01-02T00:00:00Z&endTime=2026-01-01T00:00:00Z", 400],
])("%s is refused with %i", async (query, status) => {
  await using service = await startTestHttp();
  expect((await service.call("GET", `${path}/pods?${query}`)).status).toBe(status);
});
