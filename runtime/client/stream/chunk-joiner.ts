/** Puts the chunks of a stream together again where one yield was split over several. */
import { Joiner, JoinError } from "../../core/join.ts";
import type { RawChunk, YieldMetrics } from "../../protocol/chunk.ts";

/** One value a handler yielded. */
export interface StreamChunk<Output = unknown> {
  /** The value. The type is the caller's word: nothing is checked. */
  readonly output: Output;
  /** The handler's metrics and ours; of the last part if the yield was split, so that reading can resume after it. */
  readonly metrics: YieldMetrics;
}

/** Takes chunks in their order and gives back whole yields. When the attempt grows, an unfinished yield is forgotten. */
export class ChunkJoiner<Output> {
  #joiner: Joiner | undefined;
  #attempt = 1;

  /** True while some but not all parts of a yield have come. */
  get isAmidYield(): boolean {
    return this.#joiner !== undefined;
  }

  /**
   * The yield that `chunk` completes, `undefined` if more parts have to come.
   *
   * @throws JoinError when the chunk does not follow the ones before
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

  /** Forgets parts of an unfinished yield: the attempt they belong to no longer counts. */
  drop(): void {
    this.#joiner = undefined;
  }

  /** @throws JoinError when parts of a yield are missing at the end */
  end(): void {
    if (this.#joiner !== undefined) throw unfinished();
  }
}

function unfinished(): JoinError {
  return new JoinError("The chunks end or go on amid a yield: its last parts are missing.");
}
