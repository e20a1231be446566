/** Port: how a receiver is called. The adapter signs, keeps to the time limit and decides which addresses may be called. */
import type { Piece } from "../core/jobs/opened-payload.ts";

export interface WebhookCall {
  /** The `webhook-id`: the same for every try of a delivery. */
  readonly id: string;
  readonly url: string;
  /** The body, JSON, in order. What is opened of it is the caller's to dispose of. */
  readonly pieces: readonly Piece[];
  /** W3C Trace Context: sent as a header. */
  readonly traceparent?: string | undefined;
}

export interface WebhookResult {
  readonly durationMs: number;
  /** Headers as sent, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the receiver answered, a redirection included; undefined if it did not. */
  readonly status?: number;
  /** A sentence about a missing answer, which shows nothing of the URL but its host. */
  readonly error?: string;
}

export interface WebhookSender {
  /** Calls the receiver once. Rejects only when `signal` aborts; whether the receiver was reached is then unknown. */
  send(call: WebhookCall, signal: AbortSignal): Promise<WebhookResult>;
  /** Closes its connections; nothing may be sent any more. */
  close(): Promise<void>;
}
