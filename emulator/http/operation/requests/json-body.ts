/** Reads the small JSON body of a management request. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { JsonScanner, markBytes } from "../../../core/jobs/raw-json/scanner.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { readBody } from "./request-body.ts";

/**
 * Reads and parses the body, up to a maximum size.
 * @throws ServiceError unsupported_encoding, payload_too_large, invalid_json; ClientGoneError
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number = LIMITS.managementBodyMaxBytes,
): Promise<unknown> {
  const scanner = new JsonScanner({ keep: [], isSent: true });
  const body = await readBody(request, response, maxBytes, (chunk) => scanner.push(chunk));
  const scan = scanner.end();
  if (!scan.ok) throw new ServiceError("invalid_json", scan.fault.message);
  return JSON.parse(body.toString("utf8", markBytes(body))) as unknown;
}
