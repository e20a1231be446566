/** Takes the framing off a body in `aws-chunked` form, checking each chunk's signature if it has one. */
import { createHash, type Hash } from "node:crypto";
import { S3Error } from "../s3-error.ts";
import { sameSignature, type Signer } from "../signature/signer.ts";

/** A line of the framing, a chunk's header or a trailing header, is at most this long. */
const LINE_MAX_BYTES = 8_192;
const MAX_TRAILING_HEADERS = 32;

const CHUNK_HEADER = /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i;
const LINE_END = Buffer.from("\r\n");

/** The signature a chain begins with, and what makes the next ones. */
export interface ChunkChain {
  readonly signer: Signer;
  readonly seed: string;
}

/** A chunk whose content is coming. */
interface Chunk {
  leftBytes: number;
  readonly signature: string | undefined;
  readonly hash: Hash | undefined;
}

/**
 * Fed with the body piece by piece, gives the content as it comes. Content is given before its chunk's signature could
 * be checked: it is good only if `end` is reached without an error.
 */
export class AwsChunkedDecoder {
  /** What followed the last chunk, by lower-case name. */
  readonly trailers = new Map<string, string>();
  readonly #chain: ChunkChain | undefined;
  #previous: string;
  /** Of a line that is not whole yet. */
  #line = Buffer.alloc(0);
  #chunk: Chunk | undefined;
  #state: "chunk header" | "content" | "behind content" | "trailers" | "end" = "chunk header";

  /** Without a chain the chunks carry no signatures. */
  constructor(chain?: ChunkChain) {
    this.#chain = chain;
    this.#previous = chain?.seed ?? "";
  }

  /** @throws S3Error SignatureDoesNotMatch, IncompleteBody */
  *push(piece: Uint8Array): Generator<Uint8Array> {
    let rest = piece;
    while (rest.byteLength > 0) {
      const chunk = this.#chunk;
      if (chunk) {
        const content = rest.subarray(0, chunk.leftBytes);
        rest = rest.subarray(content.byteLength);
        chunk.leftBytes -= content.byteLength;
        chunk.hash?.update(content);
        if (chunk.leftBytes === 0) this.#endChunk(chunk);
        yield content;
        continue;
      }
      if (this.#state === "end") throw malformed("there is more behind its end");
      const taken = this.#takeLine(rest);
      rest = rest.subarray(taken);
    }
  }

  /** To be called when the body has ended. @throws S3Error IncompleteBody, SignatureDoesNotMatch */
  end(): void {
    // Some clients leave the empty line at the very end out.
    if (this.#state === "trailers" && this.#line.length === 0) this.#endTrailers();
    if (this.#state !== "end") throw malformed("it ended before its last chunk");
  }

  /** Takes what belongs to the current line; answers how many bytes that were. */
  #takeLine(rest: Uint8Array): number {
    const before = this.#line.length;
    const joined = Buffer.concat([this.#line, rest.subarray(0, LINE_MAX_BYTES)]);
    const at = joined.indexOf(LINE_END);
    if (at === -1) {
      if (joined.length > LINE_MAX_BYTES) throw malformed("a line of its framing is too long");
      this.#line = joined;
      return joined.length - before;
    }
    this.#line = Buffer.alloc(0);
    this.#takeWholeLine(joined.toString("latin1", 0, at).trim());
    return at + LINE_END.length - before;
  }

  #takeWholeLine(line: string): void {
    switch (this.#state) {
      case "chunk header":
        return this.#beginChunk(line);
      case "behind content":
        if (line !== "") throw malformed("a chunk is longer than its header says");
        this.#state = "chunk header";
        return undefined;
      case "trailers":
        return line === "" ? this.#endTrailers() : this.#takeTrailer(line);
      case "content":
      case "end":
        throw new Error("no line of the framing was to come");
    }
  }

  #beginChunk(line: string): void {
    const [, size = "", signature] = CHUNK_HEADER.exec(line) ?? [];
    if (size === "") throw malformed("a chunk has no valid header");
    if (this.#chain && signature === undefined) throw malformed("a chunk has no signature");
    const chunk: Chunk = {
      leftBytes: Number.parseInt(size, 16),
      signature: signature?.toLowerCase(),
      hash: this.#chain && createHash("sha256"),
    };
    if (chunk.leftBytes > 0) {
      this.#chunk = chunk;
      this.#state = "content";
      return;
    }
    this.#checkChunk(chunk);
    this.#state = "trailers";
  }

  #endChunk(chunk: Chunk): void {
    this.#checkChunk(chunk);
    this.#chunk = undefined;
    this.#state = "behind content";
  }

  #checkChunk({ hash, signature = "" }: Chunk): void {
    if (!this.#chain || !hash) return;
    const expected = this.#chain.signer.signChunk(this.#previous, hash.digest("hex"));
    if (!sameSignature(expected, signature)) throw wrongSignature("a chunk of the body");
    this.#previous = expected;
  }

  #takeTrailer(line: string): void {
    const at = line.indexOf(":");
    if (at < 1) throw malformed("a trailing header has no name");
    if (this.trailers.size === MAX_TRAILING_HEADERS)
      throw malformed("it has too many trailing headers");
    this.trailers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }

  #endTrailers(): void {
    this.#state = "end";
    const signature = this.trailers.get("x-amz-trailer-signature");
    this.trailers.delete("x-amz-trailer-signature");
    if (!this.#chain || (this.trailers.size === 0 && signature === undefined)) return;
    const lines = [...this.trailers].map(([name, value]) => `${name}:${value}\n`);
    const expected = this.#chain.signer.signTrailer(this.#previous, lines.toSorted().join(""));
    if (!sameSignature(expected, signature ?? "")) throw wrongSignature("the body's trailer");
  }
}

function malformed(why: string): S3Error {
  return new S3Error("IncompleteBody", `the body is not in valid aws-chunked form: ${why}`);
}

function wrongSignature(of: string): S3Error {
  return new S3Error(
    "SignatureDoesNotMatch",
    `the signature of ${of} is not the one this store computes`,
  );
}
