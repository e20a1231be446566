/** Condenses the engine's messages on a pull into a few log lines. Pure. */
import { readEngineMessage } from "../../../docker/engine-message.ts";
import { LayerTransfer } from "../../../docker/layer-transfer.ts";

/** The engine said in the midst of its answer that the pull has failed. */
export class PullFailed extends Error {
  override readonly name = "PullFailed";
}

const STEPS = 10;
/** What is quicker than a line can be read is not worth one. */
const STEP_MIN_BYTES = 1_000_000;

export class PullProgress {
  readonly #layers = new LayerTransfer();
  #toldBytes = 0;

  /** A line when a further tenth or so has come. @throws PullFailed when the message says so */
  take(message: unknown): string | undefined {
    const read = readEngineMessage(message);
    if (read.error !== undefined) throw new PullFailed(read.error);
    return this.#layers.note(read) ? this.#line() : undefined;
  }

  #line(): string | undefined {
    const { doneBytes, totalBytes, layerCount, thereCount } = this.#layers;
    if (doneBytes - this.#toldBytes < Math.max(totalBytes / STEPS, STEP_MIN_BYTES))
      return undefined;
    this.#toldBytes = doneBytes;
    return `${inMb(doneBytes)} of ${inMb(totalBytes)} MB, ${thereCount} of ${layerCount} layers unpacked`;
  }
}

function inMb(bytes: number): string {
  return String(Math.round(bytes / 1e6));
}
