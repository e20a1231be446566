/** Port: how the service tells where the time of a request and its job went. The adapter sends it to who collects traces. */

/** `server`: a request to us; `client`: one of ours; `consumer`: work that was queued; `internal`: anything else. */
export type SpanKind = "server" | "client" | "consumer" | "internal";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** W3C `traceparent` of what it belongs to; absent begins a trace. */
  readonly parent?: string | undefined;
  /** How long ago it began, ms; default 0. */
  readonly agoMs?: number;
  readonly attributes?: Attributes;
}

export interface SpanEnd {
  readonly attributes?: Attributes;
  /** Why it came to no good end, in a sentence; absent if it did. */
  readonly error?: string | undefined;
}

export interface OpenSpan {
  /** W3C `traceparent` for what belongs to it. */
  readonly traceparent: string;
  end(how?: SpanEnd): void;
}

export interface Tracer {
  begin(span: SpanStart): OpenSpan;
  /** Sends what is left, for a few seconds at most; nothing may be begun any more. Never rejects. */
  close(): Promise<void>;
}
