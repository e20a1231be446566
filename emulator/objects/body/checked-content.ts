/** The content of a request's body, checked against the headers. After an error at its end none of it counts. */
import { createHash } from "node:crypto";
import type { Checksum, Content } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { AwsChunkedDecoder } from "./aws-chunked.ts";
import type { BodyExpectation } from "./body-expectation.ts";
import { type RunningChecksum, startChecksum } from "./running-checksum.ts";

export class CheckedContent {
  readonly #source: Content;
  readonly #expected: BodyExpectation;
  readonly #decoder: AwsChunkedDecoder | undefined;
  #checksum: Checksum | undefined;

  /** @param source the body as it was sent */
  constructor(source: Content, expected: BodyExpectation) {
    this.#source = source;
    this.#expected = expected;
    this.#decoder = expected.chunked && new AwsChunkedDecoder(expected.chunked.chain);
  }

  /** The client's checksum, once the content has ended and matches it. */
  get checksum(): Checksum | undefined {
    return this.#checksum;
  }

  /**
   * Read it once, to its end.
   *
   * @throws S3Error IncompleteBody, BadDigest, XAmzContentSHA256Mismatch, SignatureDoesNotMatch
   */
  async *read(): Content {
    const { sizeBytes, sha256, md5, checksum, trailing } = this.#expected;
    const algorithm = checksum?.algorithm ?? trailing;
    const running = algorithm && (await startChecksum(algorithm));
    const hashes = {
      sha256: sha256 === undefined ? undefined : createHash("sha256"),
      md5: md5 === undefined ? undefined : createHash("md5"),
    };
    let seenBytes = 0;
    for await (const piece of this.#decoded()) {
      seenBytes += piece.byteLength;
      if (seenBytes > sizeBytes) throw wrongSize(sizeBytes, "more");
      hashes.sha256?.update(piece);
      hashes.md5?.update(piece);
      running?.update(piece);
      yield piece;
    }
    if (seenBytes < sizeBytes) throw wrongSize(sizeBytes, `only ${seenBytes}`);
    if (hashes.sha256 && hashes.sha256.digest("hex") !== sha256) {
      throw new S3Error(
        "XAmzContentSHA256Mismatch",
        "the body's SHA-256 differs from x-amz-content-sha256",
      );
    }
    if (hashes.md5 && hashes.md5.digest("base64") !== md5) throw badDigest("Content-MD5");
    await this.#checkChecksum(running);
  }

  async *#decoded(): Content {
    if (!this.#decoder) {
      yield* this.#source;
      return;
    }
    for await (const piece of this.#source) yield* this.#decoder.push(piece);
    this.#decoder.end();
  }

  async #checkChecksum(running: RunningChecksum | undefined): Promise<void> {
    const { checksum, trailing } = this.#expected;
    const algorithm = checksum?.algorithm ?? trailing;
    if (!running || !algorithm) return;
    const given = checksum?.value ?? this.#decoder?.trailers.get(`x-amz-checksum-${algorithm}`);
    const value = Buffer.from(await running.digest()).toString("base64");
    if (given !== value) throw badDigest(`x-amz-checksum-${algorithm}`);
    this.#checksum = { algorithm, value };
  }
}

function wrongSize(sizeBytes: number, came: string): S3Error {
  return new S3Error(
    "IncompleteBody",
    `the body has ${came} bytes of content instead of ${sizeBytes}`,
  );
}

function badDigest(header: string): S3Error {
  return new S3Error("BadDigest", `the body's checksum differs from ${header}`);
}
