/** Position of a reader in a job's stream: what it has, what must come next, and when it has to start over. */
import type { ChunkMetrics } from "../../protocol/chunk.ts";

/** What to do with a chunk: hand it on, ignore it (we have it), or fetch the chunks before it first. */
export type Verdict = "next" | "known" | "gap";

/**
 * Counts the chunks that were handed on. An attempt that is higher than any before puts it back to index 0; chunks of
 * an older attempt, and chunks that come twice after a reconnect, are known.
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
   * Id of the reader's last event. The service compares it, and tells at once if another attempt runs by now. Undefined for a
   * reader without events, or without a known attempt.
   */
  get lastEventId(): string | undefined {
    if (this.#attempt === undefined || this.#next === 0) return undefined;
    const index = String(this.#next - 1);
    return this.#attempt > 1 ? `${this.#attempt}.${index}` : index;
  }

  /** Notes that `attempt` has begun; true if that voids the read events. */
  announce(attempt: number): boolean {
    const isNew = this.#attempt === undefined ? this.#next > 0 : attempt > this.#attempt;
    return this.#begin(attempt, isNew);
  }

  /** Notes the attempt of a chunk or of the end; true if that voids the read events. */
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

  /** Goes back to the first part of a yield that the reader came upon amid its parts. */
  rewind(parts: number): void {
    this.#next = Math.max(0, this.#next - parts);
  }
}
