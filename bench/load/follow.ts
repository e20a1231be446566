/** Follows a job's stream as NDJSON from its submission on, and reports the times of its first and last line. */
import { type Client, errors } from "undici";
import { z } from "zod";
import { type Request, send } from "./connections.ts";

const LINE_END = 10;
export const STREAM_TYPE = "application/x-ndjson";
const ticketShape = z.object({ id: z.string() });

export const followedShape = z.object({
  /** Time from the submission to the first line. */
  firstMs: z.number(),
  /** Time from the submission to the end of the stream. */
  totalMs: z.number(),
  /** Number of lines before the last one, which has the status. */
  chunks: z.number(),
  bytes: z.number(),
});
export type Followed = z.infer<typeof followedShape>;

/**
 * @param submission `POST …/run`; the stream is read from `…/stream/{id}`, or from the answer itself if the request accepts that
 * @throws Error when the stream does not end with the status COMPLETED
 */
export async function follow(client: Client, submission: Request): Promise<Followed> {
  const startedAt = performance.now();
  const isOwn = submission.headers["accept"] === STREAM_TYPE;
  const request = isOwn ? submission : await streamOf(client, submission);
  const { body, statusCode } = await client.request(request);
  if (statusCode !== 200) throw new errors.ResponseError(await body.text(), statusCode, {});
  // The job's own line comes before the chunks there.
  const before = isOwn ? 1 : 0;
  let lines = 0;
  let bytes = 0;
  let firstMs: number | undefined;
  let tail: Buffer = Buffer.alloc(0);
  for await (const part of body) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    lines += linesIn(part);
    if (lines > before) firstMs ??= performance.now() - startedAt;
    tail = part.length < 200 ? Buffer.concat([tail, part]).subarray(-400) : part.subarray(-400);
  }
  const totalMs = performance.now() - startedAt;
  if (!tail.includes('"COMPLETED"')) throw new Error(`The stream ended with: ${tail.toString()}`);
  return { firstMs: firstMs ?? totalMs, totalMs, chunks: lines - 1 - before, bytes };
}

async function streamOf(client: Client, submission: Request): Promise<Request> {
  const { id } = ticketShape.parse(JSON.parse((await send(client, submission)).toString()));
  return {
    method: "GET",
    path: submission.path.replace(/\/run$/, `/stream/${id}`),
    headers: { ...submission.headers, accept: STREAM_TYPE },
  };
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}
