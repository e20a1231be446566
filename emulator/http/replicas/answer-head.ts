/** Reads the head of an answer as a replica's server has written it. Pure. */
import type { Buffer } from "node:buffer";

export interface AnswerHead {
  readonly status: number;
  readonly statusMessage: string;
  /** Names and values in turn, without the headers of the connection between the replicas. */
  readonly headers: string[];
  /** True: the replica does not own the subject of the request. */
  readonly isMoved: boolean;
  /** Offset of the body. */
  readonly end: number;
}

/** Header between replicas: the request belongs elsewhere, and nothing was done. */
export const MOVED_HEADER = "sv-endpoint-moved";

const HEAD_END = "\r\n\r\n";

/** Undefined until the head is complete. */
export function readAnswerHead(bytes: Buffer): AnswerHead | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers: string[] = [];
  let isMoved = false;
  let hasLength = false;
  let isLast = false;
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trimStart();
    const known = name.toLowerCase();
    if (known === "connection") isLast = value === "close";
    else if (known === MOVED_HEADER) isMoved = true;
    else if (known !== "keep-alive") {
      hasLength ||= known === "content-length";
      headers.push(name, value);
    }
  }
  // Without a length, the body ends with the connection. Here frames mark its end.
  if (isLast && hasLength) headers.push("Connection", "close");
  const [, status = "", statusMessage = ""] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/u.exec(statusLine) ?? [];
  return { status: Number(status), statusMessage, headers, isMoved, end: end + HEAD_END.length };
}
