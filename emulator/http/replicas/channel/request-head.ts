/** The head of an exchange: the head of a client's request, and what the first replica knows about it. */
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { ForwardedRequest } from "../../operation/forwarded-request.ts";

/** Unknown members, perhaps of a later version, are ignored. */
const requestHeadShape = z.object({
  method: z.string(),
  url: z.string(),
  /** Names and values in turn, as the client sent them. */
  rawHeaders: z.array(z.string()),
  /** The headers as Node reads them. */
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())]).optional()),
  address: z.string(),
  isShare: z.boolean(),
  sessionKeyId: z.string().optional(),
  jobId: z.string().optional(),
  /** Version of the records that the client has seen. */
  recordsVersion: z.number().optional(),
  /** Time that the client has already waited for other replicas, ms. */
  waitedMs: z.number(),
});

export type RequestHead = z.infer<typeof requestHeadShape>;

export function requestHeadOf(
  { method = "", url = "", rawHeaders, headers, socket }: IncomingMessage,
  { address = socket.remoteAddress ?? "", sessionKeyId, jobId }: ForwardedRequest,
  { waitedMs, recordsVersion }: Pick<RequestHead, "waitedMs" | "recordsVersion">,
): RequestHead {
  const request = { method, url, rawHeaders, headers };
  const known = { address, sessionKeyId, jobId, recordsVersion, waitedMs };
  return { ...request, ...known, isShare: false };
}

/** Undefined for an invalid head. */
export function readRequestHead(bytes: Buffer): RequestHead | undefined {
  try {
    return requestHeadShape.parse(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}
