/** The head of an answer as a replica's server has written it. Pure. */
import type { Buffer } from "node:buffer";

export interface AnswerHead {
  readonly status: number;
  readonly statusMessage: string;
  /** Names and values in turn, without those that concern the connection between the replicas. */
  readonly headers: string[];
  /** The answer was given because the replica has not, or not any more, what was asked for. */
  readonly isMoved: boolean;
  /** Where the body begins. */
  readonly end: number;
}

/** On an answer of a replica to another one: the request belongs elsewhere, and nothing of it was done. */
export const MOVED_HEADER = "sv-endpoint-moved";

const HEAD_END = "\r\n\r\n";

/** Undefined as long as the head is not complete. */
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
  // Without a length the end of the connection is that of the body, and here frames say where that is.
  if (isLast && hasLength) headers.push("Connection", "close");
  const [, status = "", statusMessage = ""] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/u.exec(statusLine) ?? [];
  return { status: Number(status), statusMessage, headers, isMoved, end: end + HEAD_END.length };
}
