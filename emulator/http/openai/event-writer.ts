/** Writes the events of one OpenAI call: texts of a handler unchanged, objects as events, and the end. */
import type { ServerResponse } from "node:http";
import type { Piece } from "../operation/answers/answer.ts";
import { PUSH_HEADERS } from "../operation/answers/begin-push.ts";
import { writeWithBackpressure } from "../operation/answers/write-with-backpressure.ts";
import type { ChunkOutput } from "./chunk-text.ts";

const END = "data: [DONE]";

/** Number of characters remembered from the last write: enough for the final event with the spaces around it. */
const TAIL_LENGTH = 64;

export class EventWriter {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #headers: Readonly<Record<string, string>>;
  #tail = "";

  constructor(
    response: ServerResponse,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ) {
    this.#response = response;
    this.#signal = signal;
    this.#headers = headers;
  }

  /** True once something was written: the HTTP status is fixed then. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Whether the handler has written the end itself. */
  get hasEnded(): boolean {
    return /(?:^|\n)data: ?\[DONE\]\s*$/.test(this.#tail);
  }

  async output({ raw, text }: ChunkOutput): Promise<void> {
    if (text === undefined) await this.#event(raw, "}");
    else await this.#write([text], text);
  }

  /** `json` on one line. */
  async event(json: string): Promise<void> {
    await this.#event(json, json);
  }

  /** A comment that keeps intermediaries from closing the connection. */
  async comment(): Promise<void> {
    if (this.#isBetweenEvents) await this.#write([": still running\n\n"], "\n\n");
  }

  /** Writes the end, unless the handler has written it. */
  async end(): Promise<void> {
    if (!this.hasEnded) await this.#write([this.#separator, `${END}\n\n`], `\n${END}\n\n`);
    this.#response.end();
  }

  async #event(json: Piece, last: string): Promise<void> {
    await this.#write([this.#separator, "data: ", json, "\n\n"], `${last}\n\n`);
  }

  async #write(pieces: readonly Piece[], last: string): Promise<void> {
    if (!this.hasBegun) {
      this.#response.writeHead(200, {
        ...this.#headers,
        "content-type": "text/event-stream; charset=utf-8",
        ...PUSH_HEADERS,
      });
    }
    this.#tail = (this.#tail + last).slice(-TAIL_LENGTH);
    await writeWithBackpressure(this.#response, pieces, this.#signal);
  }

  get #isBetweenEvents(): boolean {
    return this.#tail === "" || this.#tail.endsWith("\n\n");
  }

  /** Ends an event that the handler's text left open. */
  get #separator(): string {
    return this.#isBetweenEvents ? "" : "\n\n";
  }
}
