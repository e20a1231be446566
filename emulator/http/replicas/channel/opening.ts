/** What begins an exchange: the head of a client's request, and what the replica knows of it to which it came. */
import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Arrival } from "../../operation/forwarded-request.ts";

/** A later version may say more, which is passed over here. */
const openingShape = z.object({
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

export type Opening = z.infer<typeof openingShape>;

/** Of a request of a client, as it is. */
export function openingOf(
  { method = "", url = "", rawHeaders, headers, socket }: IncomingMessage,
  { address = socket.remoteAddress ?? "", sessionKeyId, jobId }: Arrival,
  { waitedMs, recordsVersion }: Pick<Opening, "waitedMs" | "recordsVersion">,
): Opening {
  const request = { method, url, rawHeaders, headers };
  const known = { address, sessionKeyId, jobId, recordsVersion, waitedMs };
  return { ...request, ...known, isShare: false };
}

/** Undefined for anything else. */
export function readOpening(bytes: Buffer): Opening | undefined {
  try {
    return openingShape.parse(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}
