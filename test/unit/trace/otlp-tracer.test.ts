/** Data for a collector of traces about a request and its job, by a real exporter to a real HTTP server. */
import { afterEach, expect, it, vi } from "vitest";
import { createOtlpTracer } from "../../../emulator/trace/otlp-tracer.ts";
import { createTestEngine } from "../engine-harness.ts";
import { startTestHttp } from "../http/http-harness.ts";
import { ScriptedSender } from "../scripted-sender.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const headers = { traceparent: `00-${TRACE_ID}-${CALLER}-01` };

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

function exportsOf({ received }: Receiver): readonly Export[] {
  return received.map(({ text }) => JSON.parse(text) as Export);
}

function spansOf(collector: Receiver): readonly Span[] {
  return exportsOf(collector).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
}

const logged: string[] = [];
const log = {
  info: (_fields: unknown, message: string) => void logged.push(message),
  warn: (_fields: unknown, message: string) => void logged.push(message),
};

afterEach(() => {
  vi.unstubAllEnvs();
  logged.length = 0;
});

async function startTraced(collector: Receiver, sender = new ScriptedSender()) {
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.url);
  const tracer = createOtlpTracer(log);
  const engine = await createTestEngine(undefined, undefined, { webhookSender: sender, tracer });
  return { engine, tracer, service: await startTestHttp({ engine }) };
}

it("a trace has a span for the request, the wait, the execution and the webhook, in the caller's trace", async () => {
  await using collector = await startReceiver();
  const sender = new ScriptedSender();
  const { engine, tracer, service } = await startTraced(collector, sender);
  await using _ = service;
  const body = { input: {}, webhook: "https://user.test/hook?secret=1" };
  await service.call("POST", "/v2/echo/run", { headers, body });
  const worker = await engine.connectWorker();
  const job = await worker.nextJob();
  await worker.complete(job);
  await engine.clock.settle();
  await tracer.close();
  const spans = spansOf(collector);
  const named = (name: string) => spans.find((span) => span.name === name);
  const request = named("POST /v2/:endpointId/run");
  const execution = named("job run");
  const webhook = named("webhook");
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect(request).toMatchObject({ parentSpanId: CALLER });
  expect(named("job queued")).toMatchObject({ parentSpanId: request?.spanId });
  expect(execution).toMatchObject({ parentSpanId: request?.spanId, status: { code: 0 } });
  expect(webhook).toMatchObject({ parentSpanId: request?.spanId });
  // Spans of the handler and the receiver belong to the execution and to the call.
  expect(job.traceparent).toBe(`00-${TRACE_ID}-${execution?.spanId}-01`);
  expect(sender.calls[0]?.traceparent).toBe(`00-${TRACE_ID}-${webhook?.spanId}-01`);
  expect(execution?.attributes).toContainEqual({
    key: "sv.job.id",
    value: { stringValue: job.jobId },
  });
  expect(collector.received.map(({ text }) => text).join("")).not.toContain("secret=1");
  const [first] = exportsOf(collector);
  expect(first?.resourceSpans[0]?.resource.attributes).toContainEqual({
    key: "service.name",
    value: { stringValue: "sv-emulate" },
  });
  expect(collector.received[0]?.headers["content-type"]).toBe("application/json");
});

it("a trace has the reason of a failed job, and each of its executions", async () => {
  await using collector = await startReceiver();
  const { engine, tracer, service } = await startTraced(collector);
  await using _ = service;
  const worker = await engine.connectWorker();
  await service.run();
  await worker.finish(await worker.nextJob(), { kind: "handed-back" });
  await worker.grant();
  const lost = { type: "worker_lost", message: "the handler process is gone" } as const;
  await worker.finish(await worker.nextJob(), { kind: "lost", failure: lost });
  await worker.grant();
  await worker.fail(await worker.nextJob(), { message: "it broke" });
  await tracer.close();
  const executions = spansOf(collector).filter(({ name }) => name === "job run");
  expect(executions.map(({ status }) => status)).toEqual([
    { code: 0 },
    { code: 2, message: "the handler process is gone" },
    { code: 2, message: "it broke" },
  ]);
  expect(spansOf(collector).filter(({ name }) => name === "job queued")).toHaveLength(3);
});

it("a trace follows a caller that does not want it recorded", async () => {
  await using collector = await startReceiver();
  const { engine, tracer, service } = await startTraced(collector);
  await using _ = service;
  const unsampled = { traceparent: headers.traceparent.replace(/01$/, "00") };
  const worker = await engine.connectWorker();
  await service.call("POST", "/v2/echo/run", { headers: unsampled, body: { input: {} } });
  const job = await worker.nextJob();
  expect(job.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
  await worker.complete(job);
  await tracer.close();
  expect(spansOf(collector)).toEqual([]);
});

it("a collector that refuses traces is logged once, and its recovery too", async () => {
  let status = 400;
  await using collector = await startReceiver((response) => {
    response.statusCode = status;
    response.end("{}");
  });
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.url);
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "1");
  const tracer = createOtlpTracer(log);
  const sent = async (count: number) => {
    tracer.begin({ name: "x", kind: "internal" }).end();
    await expect.poll(() => collector.received.length).toBe(count);
  };
  await sent(1);
  await expect.poll(() => logged).toHaveLength(1);
  await sent(2);
  status = 200;
  await sent(3);
  await tracer.close();
  expect(logged).toEqual([
    "traces cannot be sent to the collector and are dropped",
    "traces are sent to the collector again",
  ]);
});
