/** Finds the edges of a grey picture by a convolution: on the GPU with CUDA, or on the CPU if there is none. */
import { readFile } from "node:fs/promises";
import { InferenceSession, Tensor } from "onnxruntime-node";

const { provider, session } = await open();

/** @param {{ input: { rows: number[][] } }} job the brightness of each pixel, from 0 to 1 */
export default async function edges({ input: { rows } }) {
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  if (width === 0 || rows.some((row) => row.length !== width))
    throw new Error("rows must be lists of numbers, all of the same length");
  const picture = new Tensor("float32", Float32Array.from(rows.flat()), [1, 1, height, width]);
  const { edges: found } = await session.run({ picture });
  const data = Array.from(found.data, (value) => Math.round(value * 1_000) / 1_000);
  return { provider, edges: rows.map((_, y) => data.slice(y * width, (y + 1) * width)) };
}

/** Called once for each worker. A worker with a GPU tries CUDA first. */
async function open() {
  const model = await readFile(new URL("model.onnx", import.meta.url));
  const hasGpu = (process.env.SV_GPU_IDS ?? "") !== "";
  for (const name of hasGpu ? ["cuda", "cpu"] : ["cpu"]) {
    try {
      const created = await InferenceSession.create(model, { executionProviders: [name] });
      return { provider: name, session: created };
    } catch (error) {
      if (name === "cpu") throw error;
      console.warn(`CUDA cannot be used, so the CPU is: ${error.message}`);
    }
  }
  throw new Error("no provider was tried");
}
