/** What begins an exchange: the head of a client's request, and what the replica knows of it to which it came. */
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { ForwardedRequest } from "../../operation/forwarded-request.ts";

/** A later version may say more, which is passed over here. */
const requestHeadShape = z.object({
  method: z.string(),
  url: z.string(),
  /** Names and values in turn, as the client sent them. */
  rawHeaders: z.array(z.string()),
  /** The same as Node reads them. */
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())]).optional()),
  address: z.string(),
  isShare: z.boolean(),
  sessionKeyId: z.string().optional(),
  jobId: z.string().optional(),
  /** What its client has seen of the records is in this version of them. */
  recordsVersion: z.number().optional(),
  /** How long the client has waited for other replicas, ms. */
  waitedMs: z.number(),
});

export type RequestHead = z.infer<typeof requestHeadShape>;

/** Of a request of a client, as it is. */
export function requestHeadOf(
  { method = "", url = "", rawHeaders, headers, socket }: IncomingMessage,
  { address = socket.remoteAddress ?? "", sessionKeyId, jobId }: ForwardedRequest,
  { waitedMs, recordsVersion }: Pick<RequestHead, "waitedMs" | "recordsVersion">,
): RequestHead {
  const request = { method, url, rawHeaders, headers };
  const known = { address, sessionKeyId, jobId, recordsVersion, waitedMs };
  return { ...request, ...known, isShare: false };
}

/** Undefined for anything else. */
export function readRequestHead(bytes: Buffer): RequestHead | undefined {
  try {
    return requestHeadShape.parse(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}
