/** Port: calls receivers of webhooks. The adapter signs calls, enforces the time limit and checks addresses. */
import type { Piece } from "../core/jobs/opened-payload.ts";

export interface WebhookCall {
  /** The `webhook-id`: the same for every try of a delivery. */
  readonly id: string;
  readonly url: string;
  /** The pieces of the JSON body, in order. The caller disposes of opened ones. */
  readonly pieces: readonly Piece[];
  /** W3C Trace Context: sent as a header. */
  readonly traceparent?: string | undefined;
}

export interface WebhookResult {
  readonly durationMs: number;
  /** Headers as sent, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status of the receiver's answer, redirections included; undefined without an answer. */
  readonly status?: number;
  /** A sentence about a missing answer. Of the URL it shows only the host. */
  readonly error?: string;
  /** Advice about the answer. Of the URL that a redirect names it shows neither query nor password. */
  readonly warning?: string;
}

export interface WebhookSender {
  /** Calls the receiver once. Rejects only when `signal` aborts; whether the receiver was reached is then unknown. */
  send(call: WebhookCall, signal: AbortSignal): Promise<WebhookResult>;
  /** Closes the connections. Send nothing after the call. */
  close(): Promise<void>;
}
