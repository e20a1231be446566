/** Joins the chunks of a stream into whole yields, if a yield was split into several chunks. */
import { Joiner, JoinError } from "../../core/join.ts";
import type { RawChunk, YieldMetrics } from "../../protocol/chunk.ts";

/** One value a handler yielded. */
export interface StreamChunk<Output = unknown> {
  /** The value. The caller chooses the type, and nothing checks it. */
  readonly output: Output;
  /** The handler's metrics and ours. For a split yield they are those of its last part, so that reading can resume after it. */
  readonly metrics: YieldMetrics;
}

/** Takes chunks in order and returns whole yields. When a new attempt begins, an unfinished yield is dropped. */
export class ChunkJoiner<Output> {
  #joiner: Joiner | undefined;
  #attempt = 1;

  /** True while a yield is incomplete. */
  get isAmidYield(): boolean {
    return this.#joiner !== undefined;
  }

  /**
   * The yield that `chunk` completes; `undefined` if parts are missing.
   *
   * @throws JoinError if the chunk does not follow the previous ones
   */
  add(chunk: RawChunk): StreamChunk<Output> | undefined {
    const { split, ...metrics } = chunk.metrics;
    const attempt = metrics.attempt ?? 1;
    if (attempt > this.#attempt) this.drop();
    this.#attempt = attempt;
    if (split === undefined) {
      if (this.#joiner !== undefined) throw unfinished();
      return { output: chunk.output as Output, metrics };
    }
    if (split.part === 0 && this.#joiner !== undefined) throw unfinished();
    this.#joiner ??= new Joiner();
    this.#joiner.add({ output: chunk.output, continues: split.continues });
    if (!split.last) return undefined;
    const output = this.#joiner.value() as Output;
    this.#joiner = undefined;
    return { output, metrics };
  }

  /** Drops the parts of an unfinished yield, because their attempt no longer counts. */
  drop(): void {
    this.#joiner = undefined;
  }

  /** @throws JoinError if parts of a yield are missing at the end */
  end(): void {
    if (this.#joiner !== undefined) throw unfinished();
  }
}

function unfinished(): JoinError {
  return new JoinError("The last parts of a yield are missing.");
}
