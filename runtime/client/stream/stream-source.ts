/** Follows a job's stream over as many connections as needed, and yields each chunk of each attempt once. */
import { Buffer } from "node:buffer";
import { isTerminal } from "../../protocol/job-status.ts";
import type { ChunkMetrics, RawChunk } from "../../protocol/chunk.ts";
import { ClientError, ConnectionError, InvalidResponseError } from "../errors/errors.ts";
import { pauseMs } from "../retry.ts";
import { readStreamEvent, type StreamEvent } from "./stream-event.ts";
import type { Call, Transport } from "../transport.ts";

/** The action for a chunk: pass it on, ignore a known one, or first fetch the chunks before it. */
type Verdict = "next" | "known" | "gap";

/**
 * Counts the chunks that were passed on. A new attempt sets the count back to 0. Chunks of an older attempt, and repeated
 * chunks after a reconnect, are known.
 */
class StreamPosition {
  #next: number;
  /** Unknown until the first chunk: a reader may start with any attempt. */
  #attempt: number | undefined;

  constructor(from: number) {
    this.#next = from;
  }

  /** Index of the chunk that must come next. */
  get next(): number {
    return this.#next;
  }

  /**
   * Id of the reader's last event. By it the service reports at once if another attempt has begun. Undefined for a reader
   * without events, or without a known attempt.
   */
  get lastEventId(): string | undefined {
    if (this.#attempt === undefined || this.#next === 0) return undefined;
    const index = String(this.#next - 1);
    return this.#attempt > 1 ? `${this.#attempt}.${index}` : index;
  }

  /** Notes that `attempt` has begun. Returns true if the read events are void. */
  announce(attempt: number): boolean {
    const isNew = this.#attempt === undefined ? this.#next > 0 : attempt > this.#attempt;
    return this.#begin(attempt, isNew);
  }

  /** Notes the attempt of a chunk or of the end. Returns true if the read events are void. */
  observe(attempt: number): boolean {
    return this.#begin(attempt, this.#attempt !== undefined && attempt > this.#attempt);
  }

  take(metrics: ChunkMetrics): Verdict {
    this.#attempt ??= metrics.attempt ?? 1;
    const isOld = metrics.attempt !== undefined && metrics.attempt < this.#attempt;
    if (isOld || metrics.stream_index < this.#next) return "known";
    if (metrics.stream_index > this.#next) return "gap";
    this.#next += 1;
    return "next";
  }

  #begin(attempt: number, isNew: boolean): boolean {
    if (isNew) this.#next = 0;
    this.#attempt = Math.max(attempt, this.#attempt ?? attempt);
    return isNew;
  }

  /** Goes back to the first part of a yield, if the reader began within the yield. */
  rewind(parts: number): void {
    this.#next = Math.max(0, this.#next - parts);
  }
}

/** Minimum duration of a steady connection, ms. When a steady connection breaks, the count of failures restarts at 1. */
const STEADY_MS = 5_000;
const NEWLINE = 0x0a;

export class StreamSource<Output> {
  readonly #transport: Transport;
  readonly #jobId: string;
  readonly #call: Call;
  readonly #position: StreamPosition;
  /** Number of broken connections in a row without progress. */
  #failures = 0;

  constructor(
    transport: Transport,
    jobId: string,
    path: string,
    from: number,
    signal: AbortSignal | undefined,
  ) {
    const idleMs = transport.settings.streamIdleTimeoutMs;
    this.#transport = transport;
    this.#jobId = jobId;
    this.#call = { method: "GET", path, accept: "application/x-ndjson", signal, idleMs };
    this.#position = new StreamPosition(from);
  }

  /**
   * Chunks that the reader does not have, new attempts, and as the last event the end of the job.
   * @throws errors of `Transport.open`, InvalidResponseError, and ConnectionError if the stream breaks off again and again
   */
  async *events(): AsyncGenerator<StreamEvent<Output>, void, undefined> {
    const { settings } = this.#transport;
    const { clock, retry } = settings;
    for (;;) {
      const openedAt = clock.now();
      const broken = yield* this.#followOnce();
      if (broken === undefined) return;
      this.#failures = clock.now() - openedAt >= STEADY_MS ? 1 : this.#failures + 1;
      if (this.#failures >= retry.maxAttempts) throw broken;
      await clock.sleep(pauseMs(this.#failures, settings), this.#call.signal);
    }
  }

  /** Goes back by `parts` chunks. A new connection reads them again. */
  rewind(parts: number): void {
    this.#position.rewind(parts);
  }

  /** Reads one connection. Returns the error of a broken connection, or undefined when the job has ended. */
  async *#followOnce(): AsyncGenerator<
    StreamEvent<Output>,
    ConnectionError | undefined,
    undefined
  > {
    const { next: from, lastEventId } = this.#position;
    const call = { ...this.#call, query: from === 0 ? {} : { from }, lastEventId };
    const body = await this.#transport.open(call);
    try {
      for await (const line of linesOf(body)) {
        const event = readStreamEvent<Output>(this.#jobId, line);
        if (event.kind === "end" && !isTerminal(event.job.status)) break;
        const restartedAs = this.#newAttempt(event, from);
        if (restartedAs !== undefined) {
          this.#failures = 0;
          yield { kind: "restart", attempt: restartedAs };
        }
        if (event.kind === "end") {
          // If the restart shows only here, the new attempt may have chunks before `from`.
          if (restartedAs !== undefined) return this.#broken("the job was started again");
          yield event;
          return undefined;
        }
        if (event.kind === "restart") continue;
        const verdict = this.#position.take(event.chunk.metrics);
        if (verdict === "gap") return this.#gap(event.chunk, from);
        if (verdict === "known") continue;
        this.#failures = 0;
        const expected = this.#position.next;
        yield event;
        if (this.#position.next < expected) return this.#broken("the reader went back");
      }
    } catch (error) {
      const failure = error instanceof ClientError ? error : this.#transport.failure(call, error);
      if (failure instanceof ConnectionError) return failure;
      throw failure;
    }
    return this.#broken("the connection was closed before the job had ended");
  }

  /** Returns the number of the attempt if `event` shows that the job was started again. */
  #newAttempt(event: StreamEvent<Output>, from: number): number | undefined {
    const attempt = attemptOf(event, from);
    if (attempt === undefined) return undefined;
    const isNew =
      event.kind === "restart" ? this.#position.announce(attempt) : this.#position.observe(attempt);
    return isNew ? attempt : undefined;
  }

  /** Returns an error if a new connection can fetch the missing chunks. Throws if the service does not have them. */
  #gap(chunk: RawChunk, from: number): ConnectionError {
    const { next } = this.#position;
    if (next !== from) return this.#broken("chunks are missing");
    const got = chunk.metrics.stream_index;
    throw new InvalidResponseError(
      `The stream of job ${this.#jobId} lacks the chunks ${next} to ${got - 1}.`,
    );
  }

  #broken(reason: string): ConnectionError {
    return new ConnectionError(`The stream of job ${this.#jobId} broke off: ${reason}.`, true);
  }
}

/** Returns the attempt that `event` names, if it names one. */
function attemptOf(event: StreamEvent<unknown>, from: number): number | undefined {
  if (event.kind === "restart") return event.attempt;
  if (event.kind === "chunk") return event.chunk.metrics.attempt;
  // A restart shows only here to a reader that resumed at an index of an older attempt.
  const { retries } = event.job;
  return from > 0 && retries !== undefined ? retries + 1 : undefined;
}

/**
 * Yields the non-empty lines of `body`. The last line may lack its newline. If the connection breaks within a line, the error
 * is thrown in place of that line.
 */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let pieces: Uint8Array[] = [];
  for await (const bytes of body) {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      pieces.push(bytes.subarray(start, end));
      const line = Buffer.concat(pieces).toString("utf8");
      pieces = [];
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    pieces.push(bytes.subarray(start));
  }
  const last = Buffer.concat(pieces).toString("utf8");
  if (last.trim() !== "") yield last;
}
