// A stand-in for an image model: it paints waves that depend on the prompt. Replace it with a real model; the handler stays.
import { createHash } from "node:crypto";
import { setImmediate as letOthersRun } from "node:timers/promises";
import type { Request } from "./schema.ts";

const CHANNELS = 3;
const BYTE = 255;

/** The output of a model: rows of red, green and blue, one byte each. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: typeof CHANNELS;
  readonly pixels: Uint8Array;
}

export interface Model {
  /** Throws the signal's reason when it aborts. */
  paint(request: Request, signal: AbortSignal, painted: (share: number) => void): Promise<Picture>;
}

/** A real model would load its weights here, to the GPU if there is one. */
export async function loadModel(): Promise<Model> {
  return {
    async paint({ prompt, width, height, seed }, signal, painted) {
      const waves = wavesOf(`${seed} ${prompt}`);
      const pixels = new Uint8Array(width * height * CHANNELS);
      for (let y = 0; y < height; y++) {
        // A cancelled job stops between two rows.
        await letOthersRun();
        signal.throwIfAborted();
        for (let x = 0; x < width; x++) {
          waves.forEach(({ across, down, phase }, channel) => {
            const angle = (across * x) / width + (down * y) / height + phase;
            pixels[(y * width + x) * CHANNELS + channel] = Math.round(
              ((1 + Math.sin(angle)) / 2) * BYTE,
            );
          });
        }
        painted((y + 1) / height);
      }
      return { width, height, channels: CHANNELS, pixels };
    },
  };
}

/** One wave for each channel. */
function wavesOf(text: string) {
  const digest = createHash("sha256").update(text).digest();
  return Array.from({ length: CHANNELS }, (_, channel) => {
    const [across = 0, down = 0, phase = 0] = digest.subarray(channel * 3);
    return { across: across / 8, down: down / 8, phase: (phase / BYTE) * 2 * Math.PI };
  });
}
