/** Removes the framing of a body in `aws-chunked` form, and checks the signatures of its chunks if there are any. */
import { createHash, type Hash } from "node:crypto";
import { S3Error } from "../s3-error.ts";
import { sameSignature, type Signer } from "../signature/signer.ts";

/** Maximum length of a line of the framing: a chunk's header or a trailing header. */
const LINE_MAX_BYTES = 8_192;
const MAX_TRAILING_HEADERS = 32;

const CHUNK_HEADER = /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i;
const LINE_END = Buffer.from("\r\n");

/** The first signature of a chain, and the signer of the next ones. */
export interface ChunkChain {
  readonly signer: Signer;
  readonly seed: string;
}

/** A chunk whose content is being read. */
interface Chunk {
  leftBytes: number;
  readonly signature: string | undefined;
  readonly hash: Hash | undefined;
}

/**
 * Takes the body piece by piece and yields the content. A chunk's content is yielded before its signature is checked: it is valid
 * only if `end` returns without an error.
 */
export class AwsChunkedDecoder {
  /** The trailing headers by lower-case name. */
  readonly trailers = new Map<string, string>();
  readonly #chain: ChunkChain | undefined;
  #previous: string;
  /** The bytes of an unfinished line. */
  #line = Buffer.alloc(0);
  #chunk: Chunk | undefined;
  #state: "chunk header" | "content" | "behind content" | "trailers" | "end" = "chunk header";

  /** @param chain absent for chunks without signatures */
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
      if (this.#state === "end") throw malformed("bytes follow its end");
      const taken = this.#takeLine(rest);
      rest = rest.subarray(taken);
    }
  }

  /** Call it when the body has ended. @throws S3Error IncompleteBody, SignatureDoesNotMatch */
  end(): void {
    // Some clients omit the last empty line.
    if (this.#state === "trailers" && this.#line.length === 0) this.#endTrailers();
    if (this.#state !== "end") throw malformed("it ended before its last chunk");
  }

  /** Takes the bytes of the current line, and returns their number. */
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
        throw new Error("there is an unexpected line of the framing");
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
