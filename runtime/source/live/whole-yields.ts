/** Joins split yields, because the live queue accepts only whole yields and splits them itself. */
import { Buffer } from "node:buffer";
import { Joiner } from "../../core/join.ts";
import { valueEnd } from "../../core/json-scan.ts";
import type { ChunkMetrics, SplitPosition } from "../../protocol/chunk.ts";
import { LIMITS } from "../../protocol/limits.ts";

/** Bodies of the posts for a yield, or for its parts so far. */
export interface YieldBodies {
  /** The whole yield; undefined if it is too large. */
  readonly whole: Uint8Array | undefined;
  /** The yield in parts, if there is no whole or the queue refuses it; none for a yield of one part. */
  readonly parts: readonly Uint8Array[];
}

const OUTPUT = '{"output":';
const SPLIT = '"split":{';

/** Takes the chunks of one job in order. */
export class WholeYields {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #joiner: Joiner | undefined;

  /** @param maxBytes maximum size of a joined yield; default: the maximum of an output */
  constructor(maxBytes: number = LIMITS.outputMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** The bodies to post now; undefined while parts of a yield are missing. @param line of a `ChunkBatch` */
  add(line: Uint8Array): YieldBodies | undefined {
    const end = valueEnd(line, OUTPUT.length);
    const body = Buffer.concat([line.subarray(0, end), Buffer.from("}")]);
    const split = splitOf(line.subarray(end));
    if (split === undefined) return { whole: body, parts: [] };
    if (split.part === 0) this.#begin();
    this.#parts.push(body);
    this.#bytes += body.byteLength;
    if (this.#bytes > this.#maxBytes) this.#joiner = undefined;
    this.#joiner?.add({ output: outputOf(body), continues: split.continues });
    if (this.#joiner !== undefined && !split.last) return undefined;
    return this.#take();
  }

  #begin(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#joiner = new Joiner();
  }

  /** The further parts of a yield that has become too large come one by one. */
  #take(): YieldBodies {
    const parts = this.#parts;
    this.#parts = [];
    if (this.#joiner === undefined) return { whole: undefined, parts };
    const whole = Buffer.from(JSON.stringify({ output: this.#joiner.value() }));
    this.#joiner = undefined;
    return { whole, parts };
  }
}

/** @param tail of a line, behind its output */
function splitOf(tail: Uint8Array): SplitPosition | undefined {
  // A split is rare: most lines need no parsing.
  if (!Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength).includes(SPLIT)) return undefined;
  const text = `{${Buffer.from(tail).toString().slice(1)}`;
  return (JSON.parse(text) as { readonly metrics: ChunkMetrics }).metrics.split;
}

function outputOf(body: Uint8Array): unknown {
  return (JSON.parse(Buffer.from(body).toString()) as { readonly output: unknown }).output;
}
