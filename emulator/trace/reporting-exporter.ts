/** Logs once when spans cannot be sent, and once when they can again. The SDK itself logs nothing. */
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";

type ExportResult = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

export interface TraceLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: TraceLog;
  #isFailing = false;

  constructor(exporter: SpanExporter, log: TraceLog) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#report(result, spans.length);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  #report({ error }: ExportResult, spans: number): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    if (isFailing) {
      const reason = error.message === "" ? error.name : error.message;
      this.#log.warn({ spans, reason }, "traces cannot be sent to the collector and are dropped");
    } else {
      this.#log.info({}, "traces are sent to the collector again");
    }
  }
}
