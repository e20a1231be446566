/** Adds up the progress of an image's layers in a pull or push. Pure. */
import type { EngineMessage } from "./engine-message.ts";

interface Layer {
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly isThere: boolean;
}

const BEGINS = new Set(["Pulling fs layer", "Preparing"]);
const MOVES = new Set(["Downloading", "Pushing"]);
const THERE = new Set(["Pull complete", "Already exists", "Pushed", "Layer already exists"]);

export class LayerTransfer {
  readonly #layers = new Map<string, Layer>();

  /** Returns whether the message has changed the progress. */
  note({ id, status = "", doneBytes, totalBytes }: EngineMessage): boolean {
    if (id === undefined) return false;
    const known = this.#layers.get(id) ?? { doneBytes: 0, totalBytes: 0, isThere: false };
    const whole = { ...known, doneBytes: Math.max(known.totalBytes, known.doneBytes) };
    if (THERE.has(status)) this.#layers.set(id, { ...whole, isThere: true });
    else if (status === "Download complete") this.#layers.set(id, whole);
    else if (MOVES.has(status)) this.#layers.set(id, { ...known, doneBytes, totalBytes });
    else if (BEGINS.has(status)) this.#layers.set(id, known);
    else return false;
    return true;
  }

  get doneBytes(): number {
    return this.#sum(({ doneBytes }) => doneBytes);
  }

  /** Size of the layers whose size is known. */
  get totalBytes(): number {
    return this.#sum(({ totalBytes }) => totalBytes);
  }

  get layerCount(): number {
    return this.#layers.size;
  }

  /** Number of layers that have arrived, or were there before. */
  get thereCount(): number {
    return this.#sum(({ isThere }) => Number(isThere));
  }

  #sum(of: (layer: Layer) => number): number {
    return [...this.#layers.values()].reduce((all, layer) => all + of(layer), 0);
  }
}
