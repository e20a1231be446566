// The handler: an image is too large for a job's output. It is uploaded to the endpoint's bucket, and the output is its URL.
import sharp from "sharp";
import { defineHandler } from "sv-runtime";
import { loadModel } from "./model.ts";
import { input, output } from "./schema.ts";

export default defineHandler({
  input,
  output,
  /** Once in each handler process, before its first job. */
  setup: loadModel,
  async run(job, { state: model, signal, progress, upload }) {
    const { pixels, ...raw } = await model.paint(job.input, signal, (share) =>
      progress({ percent: Math.floor(share * 100) }),
    );
    const png = await sharp(pixels, { raw }).png().toBuffer();
    // A retry replaces the file of the attempt before.
    const { url } = await upload(`${job.id}/image.png`, png);
    return { url, width: raw.width, height: raw.height, bytes: png.length };
  },
});
