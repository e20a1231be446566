/** Position of a reader in a job's stream: the chunks that it has, the next one, and the moment to start over. */
import type { ChunkMetrics } from "../../protocol/chunk.ts";

/** The action for a chunk: pass it on, ignore a known one, or first fetch the chunks before it. */
export type Verdict = "next" | "known" | "gap";

/**
 * Counts the chunks that were passed on. A new attempt sets the count back to 0. Chunks of an older attempt, and repeated
 * chunks after a reconnect, are known.
 */
export class StreamPosition {
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
