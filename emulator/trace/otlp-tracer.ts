/** Adapter: sends spans to a collector by OTLP over HTTP, as JSON. OpenTelemetry's own variables are its settings. */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { readTraceparent } from "../core/observe/traceparent.ts";
import { ReportingExporter, type TraceLog } from "./reporting-exporter.ts";
import type { OpenSpan, SpanEnd, SpanKind, SpanStart, Tracer } from "./tracer.ts";

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  consumer: Kind.CONSUMER,
  internal: Kind.INTERNAL,
};

/** `OTEL_SERVICE_NAME` overrides this name. */
const SERVICE_NAME = "sv-emulate";

/** Timeout of the tracer's end: a silent collector must not delay the service's stop. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Time for which a span waits for others to be sent with it, ms. `OTEL_BSP_SCHEDULE_DELAY` overrides it. */
const BATCH_DELAY_MS = 1_000;

/** No global tracer is set: each service in a process has its own, and so may the process. */
export function createOtlpTracer(log: TraceLog): Tracer {
  const delay = process.env["OTEL_BSP_SCHEDULE_DELAY"] === undefined;
  const exporter = new ReportingExporter(new OTLPTraceExporter(), log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": SERVICE_NAME }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor(exporter, delay ? { scheduledDelayMillis: BATCH_DELAY_MS } : {}),
    ],
  });
  const tracer = provider.getTracer("sv-runtime");
  return {
    begin({ name, kind, parent, agoMs = 0, attributes = {} }: SpanStart) {
      const options = { kind: KINDS[kind], startTime: Date.now() - agoMs, attributes };
      return openSpan(tracer.startSpan(name, options, contextOf(parent)));
    },
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, "0");
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    end({ attributes = {}, error }: SpanEnd = {}) {
      span.setAttributes(attributes);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}

function contextOf(parent: string | undefined): Context {
  const known = readTraceparent(parent);
  if (known === undefined) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = ""] = known.split("-");
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
