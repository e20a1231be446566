/** The metrics of the service, as Prometheus reads them. */
import { expect, it } from "vitest";
import {
  COUNTERS,
  DISTRIBUTIONS,
  GAUGES,
  type MetricName,
} from "../../../../../emulator/http/emulator/observe/metrics/metric-names.ts";
import { exposition } from "../../../../../emulator/http/emulator/observe/metrics/exposition.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { SharedService } from "../../../engine/ownership/shared-service.ts";
import { ScriptedLauncher } from "../../../engine/scripted-launcher.ts";
import { ScriptedSender } from "../../../scripted-sender.ts";
import { completeHooked } from "../../../webhooks/hooked-jobs.ts";
import { startTestHttp, type TestHttp, USER_KEY } from "../../http-harness.ts";

async function scrape(service: TestHttp): Promise<readonly string[]> {
  const { statusCode, headers, body } = await service.open("/metrics");
  expect(statusCode).toBe(200);
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  return (await body.text()).split("\n");
}

it("the metrics show the jobs of each endpoint, their delays and durations", async () => {
  await using service = await startTestHttp();
  await service.run();
  await service.run();
  await service.test.clock.advance(2_000);
  const worker = await service.test.connectWorker();
  await worker.complete(await worker.nextJob());
  const lines = await scrape(service);
  expect(lines).toEqual(
    expect.arrayContaining([
      `sv_jobs_submitted_total{endpoint="echo"} 2`,
      `sv_jobs_finished_total{endpoint="echo",status="COMPLETED"} 1`,
      `sv_jobs{endpoint="echo",status="IN_QUEUE"} 1`,
      `sv_jobs{endpoint="echo",status="IN_PROGRESS"} 0`,
      `sv_job_queue_delay_seconds_bucket{endpoint="echo",le="1"} 0`,
      `sv_job_queue_delay_seconds_bucket{endpoint="echo",le="5"} 1`,
      `sv_job_queue_delay_seconds_bucket{endpoint="echo",le="+Inf"} 1`,
      `sv_job_queue_delay_seconds_sum{endpoint="echo"} 2`,
      `sv_job_execution_seconds_count{endpoint="echo",status="COMPLETED"} 1`,
      `sv_workers{endpoint="echo",state="idle"} 1`,
      `sv_http_requests_total{operation="run",code="200"} 2`,
      `sv_http_request_duration_seconds_count{operation="run"} 2`,
    ]),
  );
});

it("the metrics count the starts and ends of workers", async () => {
  const launcher = new ScriptedLauncher();
  await using service = await startTestHttp({ launcher });
  await service.run();
  await service.test.clock.settle();
  launcher.at(0).exit();
  await service.test.clock.settle();
  const lines = await scrape(service);
  expect(lines).toContain(`sv_worker_starts_total{endpoint="echo"} 1`);
  expect(lines).toContain(`sv_worker_ends_total{endpoint="echo",reason="not_initialized"} 1`);
  expect(lines).toContain(`sv_workers{endpoint="echo",state="unhealthy"} 1`);
});

it("the metrics count the tries of webhooks and their results", async () => {
  const webhookSender = ScriptedSender.answering(500, 200);
  const engine = await createTestEngine(undefined, undefined, { webhookSender });
  await using service = await startTestHttp({ engine });
  await completeHooked(engine, await engine.connectWorker());
  await engine.clock.advance(10_000);
  const lines = await scrape(service);
  expect(lines).toContain(`sv_webhook_tries_total{endpoint="echo",result="refused"} 1`);
  expect(lines).toContain(`sv_webhook_tries_total{endpoint="echo",result="delivered"} 1`);
  expect(lines).toContain(`sv_webhook_deliveries_total{endpoint="echo",state="delivered"} 1`);
  expect(lines).toContain(`sv_webhook_try_duration_seconds_count 2`);
});

it("the metrics count requests refused by rate limits, unknown paths and wrong keys", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  for (let nth = 0; nth < 3; nth += 1) await service.call("POST", "/v2/echo/purge-queue");
  await service.call("GET", "/v2/echo/nothing");
  await service.call("GET", "/v2/echo/health", { headers: { authorization: "wrong" } });
  const lines = await scrape(service);
  const labels = `endpoint="echo",operation="purge-queue",side="requests",outcome="refused"`;
  expect(lines).toContain(`sv_rate_limited_requests_total{${labels}} 1`);
  expect(lines).toContain(`sv_http_requests_total{operation="purgeQueue",code="429"} 1`);
  expect(lines).toContain(`sv_http_requests_total{operation="unknown",code="404"} 1`);
  expect(lines).toContain(`sv_http_requests_total{operation="health",code="401"} 1`);
});

it("the metrics drop deleted endpoints", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  await service.run("other");
  expect((await scrape(service)).join("\n")).toContain(`endpoint="other"`);
  await service.call("DELETE", "/v1/endpoints/other");
  expect((await scrape(service)).join("\n")).not.toContain(`endpoint="other"`);
});

it("the metrics count each service of a process separately, and show the process itself once in each", async () => {
  await using one = await startTestHttp();
  await using other = await startTestHttp();
  await one.run();
  const lines = await scrape(other);
  expect(lines.join("\n")).not.toContain("sv_jobs_submitted_total{");
  expect(lines.filter((line) => line.startsWith("# TYPE nodejs_eventloop_lag_seconds "))).toEqual([
    "# TYPE nodejs_eventloop_lag_seconds gauge",
  ]);
  expect(lines.some((line) => line.startsWith("process_resident_memory_bytes "))).toBe(true);
});

it("the metrics show the age of the oldest snapshot if the store is a database", async () => {
  const { engine } = await createTestEngine();
  expect((await exposition(engine)).text).not.toContain("snapshot");
  engine.metrics.oldestSnapshotMs = 61_500;
  expect((await exposition(engine)).text).toContain("\nsv_store_oldest_snapshot_seconds 61.5\n");
});

it("the metrics show whether the bucket for large payloads fails, if there is one", async () => {
  const { engine } = await createTestEngine();
  expect((await exposition(engine)).text).not.toContain("sv_bucket");
  for (const [isFailing, shown] of [
    [false, 0],
    [true, 1],
  ] as const) {
    engine.metrics.isBucketFailing = isFailing;
    expect((await exposition(engine)).text).toContain(`\nsv_bucket_failing ${shown}\n`);
  }
});

it("the metrics show the replica's partitions with their gains and losses if several replicas share a store", async () => {
  const { engine } = await createTestEngine();
  expect((await exposition(engine)).text).not.toContain("sv_partition_owned");
  await using service = new SharedService();
  const [one, two] = [await service.open([0, 1]), await service.open([])];
  const { owner = expect.unreachable() } = one.replica;
  const unowned = {
    ...(await service.shared.gainOf(new Set([2]))),
    unownedMs: new Map([[2, 700]]),
  };
  owner.gained(unowned);
  await one.replica.give(two.replica, "idle", 1);
  owner.lost(new Set([0, 7]));
  const { text } = await exposition(one.engine);
  const lines = text.split("\n").filter((each) => each.startsWith("sv_partition_"));
  expect(lines.filter((each) => each.endsWith("} 1") && !each.includes("_bucket"))).toEqual([
    `sv_partition_changes_total{partition="0",change="gained"} 1`,
    `sv_partition_changes_total{partition="1",change="gained"} 1`,
    `sv_partition_changes_total{partition="2",change="gained"} 1`,
    `sv_partition_changes_total{partition="1",change="given_away"} 1`,
    `sv_partition_changes_total{partition="0",change="lost"} 1`,
    `sv_partition_owned{partition="2"} 1`,
  ]);
  expect(lines).toContain(`sv_partition_owned{partition="7"} 0`);
  expect(lines).toContain("sv_partition_takeover_seconds_sum 0.7");
  expect(lines).toContain("sv_partition_takeover_seconds_count 1");
});

it("the metrics count durable transactions of the store, also those that share a commit", async () => {
  await using service = await startTestHttp();
  const stored = async () =>
    Number(
      (await scrape(service))
        .find((each) => each.startsWith("sv_store_steps_total "))
        ?.split(" ")[1],
    );
  const before = await stored();
  await Promise.all([service.run(), service.run(), service.run()]);
  expect((await stored()) - before).toBe(3);
});

it("metrics need the admin's key", async () => {
  await using service = await startTestHttp();
  for (const [authorization, refused] of [
    ["", 401],
    [USER_KEY, 403],
  ] as const) {
    const { status } = await service.call("GET", "/metrics", { headers: { authorization } });
    expect(status).toBe(refused);
  }
});

it("each metric has a name with its unit, as Prometheus requires, and a help text", async () => {
  for (const { name, help } of COUNTERS) {
    expect(name).toMatch(/^sv_[a-z_]+_total$/);
    expect(help).toMatch(/^[A-Z].*\.$/);
  }
  for (const { name } of DISTRIBUTIONS) expect(name).toMatch(/^sv_[a-z_]+_seconds$/);
  const {
    oldestSnapshot: _,
    bucketFailing: __,
    partitionOwned: ___,
    directoryBytes,
    ...gauges
  } = GAUGES;
  expect(directoryBytes.name).toMatch(/^sv_[a-z_]+_bytes$/);
  const all: readonly MetricName[] = [...COUNTERS, ...DISTRIBUTIONS, ...Object.values(gauges)];
  await using service = await startTestHttp();
  const lines = await scrape(service);
  const types = lines.filter((line) => line.startsWith("# TYPE sv_"));
  expect(new Set(types.map((line) => line.split(" ")[2]))).toEqual(
    new Set(all.map(({ name }) => name)),
  );
});

it("the text of the metrics is unchanged", async () => {
  const { engine } = await createTestEngine();
  const { metrics } = engine;
  for (const ms of [0.4, 700, 400_000]) metrics.requestAnswered("run", "200", ms);
  metrics.requestAnswered('a "quote", a \\ and\na line', "none", 1);
  engine.tell({ type: "worker-started", endpointId: "echo" });
  engine.tell({ type: "worker-exited", endpointId: "echo", end: "lost" });
  const limits = { endpointId: "echo", limitClass: "run" } as const;
  metrics.exceededLimit(limits, "concurrent", "warned");
  const { text } = await exposition(engine);
  const own = text.slice(0, text.indexOf("# HELP process_"));
  await expect(own.replaceAll(/^(sv_store_\w+).*\n/gmu, "")).toMatchFileSnapshot("exposition.txt");
});
