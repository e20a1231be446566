/** A sender in place of real receivers of webhooks: records calls and gives scripted answers. */
import { areInHand } from "../../emulator/core/jobs/opened-payload.ts";
import { piecesInHand } from "../../emulator/engine/jobs/read/show-payload.ts";
import type {
  WebhookCall,
  WebhookResult,
  WebhookSender,
} from "../../emulator/webhooks/webhook-sender.ts";

/** A status, an error's sentence, or an answer that the test gives later. */
export type ScriptedAnswer = number | string | Promise<number | string>;

export interface SentCall {
  readonly id: string;
  readonly url: string;
  readonly text: string;
  readonly traceparent: string | undefined;
}

export class ScriptedSender implements WebhookSender {
  /** All calls so far. */
  readonly calls: SentCall[] = [];
  /** Number of calls that wait for their answers now, and the maximum at a time. */
  open = 0;
  mostOpen = 0;
  readonly #answer: (call: SentCall, index: number) => ScriptedAnswer;

  /** Calls `answer` with each call and its number from 0; by default every call succeeds. */
  constructor(answer: (call: SentCall, index: number) => ScriptedAnswer = () => 200) {
    this.#answer = answer;
  }

  /** Answers in this order, the last one forever. */
  static answering(...answers: readonly ScriptedAnswer[]): ScriptedSender {
    return new ScriptedSender(
      (_call, index) => answers[Math.min(index, answers.length - 1)] ?? 200,
    );
  }

  async send(
    { id, url, pieces, traceparent }: WebhookCall,
    signal: AbortSignal,
  ): Promise<WebhookResult> {
    const text = Buffer.concat(
      (areInHand(pieces) ? pieces : await piecesInHand(pieces)).map((piece) => Buffer.from(piece)),
    ).toString();
    const call = { id, url, text, traceparent };
    this.calls.push(call);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      const answer = await Promise.race([this.#answer(call, this.calls.length - 1), aborted]);
      const headers = { "webhook-id": id };
      return {
        durationMs: 5,
        headers,
        ...(typeof answer === "number" ? { status: answer } : { error: answer }),
      };
    } finally {
      this.open -= 1;
      signal.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {}
}
