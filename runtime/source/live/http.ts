/** Requests of a worker of the live dialect: its headers, its limits, and connections that stay open. */
import { Buffer } from "node:buffer";
import { Agent, request } from "undici";

export interface LiveAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

export interface LiveHttpOptions {
  /** Sent as it is, without `Bearer`; default: no header. */
  readonly key: string | undefined;
  readonly userAgent: string;
}

/** How long an answer that has begun may be silent. */
const BODY_SILENCE_MS = 30_000;
/** How long a report may take until its answer begins, of which a large one is on its way first. */
const POST_LIMIT_MS = 120_000;

export class LiveHttp {
  // Pings, questions and reports must not wait for each other.
  readonly #agent = new Agent({ pipelining: 1, connections: null, allowH2: false });
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ key, userAgent }: LiveHttpOptions) {
    this.#headers = { "user-agent": userAgent, ...(key !== undefined && { authorization: key }) };
  }

  /**
   * Asks. What has begun to be answered is read to its end, whatever `signal` says: it may hold a job.
   *
   * @param limitMs until the answer begins
   * @throws Error when there is no answer
   */
  async get(url: string, limitMs: number, signal: AbortSignal): Promise<LiveAnswer> {
    const begins = new AbortController();
    const abort = (): void => begins.abort(signal.reason);
    const limit = setTimeout(() => begins.abort(tooLate(limitMs)), limitMs);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        headers: { ...this.#headers, "content-type": "application/json" },
        signal: begins.signal,
        headersTimeout: 0,
        bodyTimeout: BODY_SILENCE_MS,
      });
      clearTimeout(limit);
      signal.removeEventListener("abort", abort);
      return await readAnswer(answer);
    } finally {
      clearTimeout(limit);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Reports JSON text on a job. @throws Error when there is no answer */
  async post(
    url: string,
    jobId: string,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<LiveAnswer> {
    const answer = await request(url, {
      dispatcher: this.#agent,
      method: "POST",
      headers: {
        ...this.#headers,
        // What the queue is used to: it reads JSON whatever this says (live).
        "content-type": "application/x-www-form-urlencoded",
        charset: "utf-8",
        "x-request-id": encodeURIComponent(jobId),
      },
      body,
      signal,
      headersTimeout: POST_LIMIT_MS,
      bodyTimeout: BODY_SILENCE_MS,
    });
    return readAnswer(answer);
  }

  /** Breaks off everything. Idempotent. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

async function readAnswer({
  statusCode,
  headers,
  body,
}: Awaited<ReturnType<typeof request>>): Promise<LiveAnswer> {
  const { "content-type": contentType } = headers;
  return {
    status: statusCode,
    contentType: typeof contentType === "string" ? contentType : undefined,
    body: Buffer.from(await body.arrayBuffer()),
  };
}

function tooLate(limitMs: number): Error {
  return new Error(`no answer within ${limitMs} ms`);
}

/** What an answer says, for a log. */
export function answerText({ status, body }: LiveAnswer): string {
  const text = body.toString("utf8", 0, 300).trim();
  return text === "" ? String(status) : `${status}: ${text}`;
}

/** What went wrong where there was no answer. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  return message === "" ? String(code) : message;
}
