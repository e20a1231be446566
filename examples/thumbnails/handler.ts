// An example of an image-processing endpoint: it makes small WebP and PNG variants of a photograph and uploads them.
import type { Context, Job } from "sv-runtime";
import type { Dimensions } from "./geometry.ts";
import { readPicture } from "./picture.ts";
import { render, type Rendered } from "./render.ts";
import { type Format, readRequest } from "./request.ts";

/** An uploaded variant. */
export interface Variant extends Dimensions {
  readonly format: Format;
  /** Size of the file. */
  readonly bytes: number;
  /** A URL that opens the file without credentials, for seven days. */
  readonly url: string;
}

/** The output of a job. */
export interface Thumbnails {
  /** The size of the upright photograph. */
  readonly source: Dimensions & { readonly format: string; readonly bytes: number };
  /** Each size in each format, in the requested order. */
  readonly variants: readonly Variant[];
}

/** Maximum number of simultaneous jobs of a process: sharp decodes and encodes on its own threads. */
export const concurrency = 2;

export default async function thumbnails(job: Job, context: Context): Promise<Thumbnails> {
  const { image, sizes, formats, quality, enlarge } = readRequest(job.input);
  const picture = await readPicture(image);
  const total = sizes.length * formats.length;
  const variants: Variant[] = [];
  for (const size of sizes) {
    for (const format of formats) {
      context.signal.throwIfAborted();
      const rendered = await render(picture, { size, format, quality, enlarge });
      variants.push(await store(context, rendered, variants.length + 1));
      context.progress({ done: variants.length, total });
    }
  }
  const { width, height, format, file } = picture;
  context.log.info(`made ${total} variants of ${width} × ${height} pixels`);
  return { source: { width, height, format, bytes: file.length }, variants };
}

/** The number distinguishes two sizes that become one for a small picture. */
async function store(context: Context, rendered: Rendered, number: number): Promise<Variant> {
  const { width, height, format, file } = rendered;
  const key = `${context.job.id}/${number}-${width}x${height}.${format}`;
  const { url } = await context.upload(key, file);
  return { width, height, format, bytes: file.length, url };
}
