/** The body of a request, which is read from the connection on demand. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyExpectation, type BodyExpectation } from "../body/body-expectation.ts";
import { CheckedContent } from "../body/checked-content.ts";
import type { Content } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import type { Verified } from "../signature/verify.ts";

export class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #verified: Verified;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    headers: ReadonlyMap<string, string>,
    verified: Verified,
  ) {
    this.#request = request;
    this.#response = response;
    this.#headers = headers;
    this.#verified = verified;
  }

  /** The content, which can be read once. @throws S3Error EntityTooLarge, and for invalid headers */
  content(maxBytes: number): CheckedContent {
    const expected = this.#expected();
    if (expected.sizeBytes > maxBytes) {
      throw new S3Error("EntityTooLarge", `the body must have at most ${maxBytes} bytes`, {
        ProposedSize: String(expected.sizeBytes),
        MaxSizeAllowed: String(maxBytes),
      });
    }
    return new CheckedContent(this.#pieces(), expected);
  }

  /** The whole content of a short body. @throws S3Error MaxMessageLengthExceeded and those of the content */
  async text(maxBytes: number): Promise<string> {
    if (!hasBody(this.#request)) return "";
    if (this.#expected().sizeBytes > maxBytes) {
      throw new S3Error("MaxMessageLengthExceeded", `the body must have at most ${maxBytes} bytes`);
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of this.content(maxBytes).read()) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  #expected(): BodyExpectation {
    return bodyExpectation(this.#headers, this.#verified);
  }

  async *#pieces(): Content {
    if (this.#request.headers.expect !== undefined) this.#response.writeContinue();
    // The connection is still needed for the answer if the body turns out to be invalid.
    yield* this.#request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}
