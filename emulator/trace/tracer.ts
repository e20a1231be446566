/** Port: spans of requests and jobs. The adapter sends them to a collector. */

/** `server`: an incoming request; `client`: an outgoing one; `consumer`: queued work; `internal`: anything else. */
export type SpanKind = "server" | "client" | "consumer" | "internal";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** W3C `traceparent` of the parent; absent: the span begins a trace. */
  readonly parent?: string | undefined;
  /** Time since the span's start, ms; default 0. */
  readonly agoMs?: number;
  readonly attributes?: Attributes;
}

export interface SpanEnd {
  readonly attributes?: Attributes;
  /** A sentence about its failure; absent for success. */
  readonly error?: string | undefined;
}

export interface OpenSpan {
  /** W3C `traceparent` for children. */
  readonly traceparent: string;
  end(how?: SpanEnd): void;
}

export interface Tracer {
  begin(span: SpanStart): OpenSpan;
  /** Sends the remaining spans, within a few seconds. No span may begin after the call. Never rejects. */
  close(): Promise<void>;
}
