/** Bodies in aws-chunked form: the content is the same however the body is cut. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AwsChunkedDecoder } from "../../../emulator/objects/body/aws-chunked.ts";
import { S3Error } from "../../../emulator/objects/s3-error.ts";
import { Signer } from "../../../emulator/objects/signature/signer.ts";

const signer = new Signer("secret", { day: "20260101", region: "eu" }, "20260101T000000Z");
const SEED = "5".repeat(64);

interface Framing {
  readonly isSigned: boolean;
  readonly trailers: Readonly<Record<string, string>>;
}

/** The body that a client sends: chunks of the content, the empty last one, and trailing headers. */
function framed(chunks: readonly Uint8Array[], { isSigned, trailers }: Framing): Buffer {
  let signature = SEED;
  const pieces: Buffer[] = [];
  for (const chunk of [...chunks.filter(({ length }) => length > 0), Buffer.alloc(0)]) {
    signature = signer.signChunk(signature, createHash("sha256").update(chunk).digest("hex"));
    const extension = isSigned ? `;chunk-signature=${signature}` : "";
    pieces.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), Buffer.from(chunk));
    if (chunk.length > 0) pieces.push(Buffer.from("\r\n"));
  }
  const lines = Object.entries(trailers).map(([name, value]) => `${name}:${value}`);
  if (isSigned && lines.length > 0) {
    const text = lines.map((line) => `${line}\n`).join("");
    lines.push(`x-amz-trailer-signature:${signer.signTrailer(signature, text)}`);
  }
  pieces.push(Buffer.from(lines.map((line) => `${line}\r\n`).join("")), Buffer.from("\r\n"));
  return Buffer.concat(pieces);
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)), bytes.length];
  const sorted = places.toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

function decoded(pieces: readonly Uint8Array[], isSigned: boolean) {
  const decoder = new AwsChunkedDecoder(isSigned ? { signer, seed: SEED } : undefined);
  const content = Buffer.concat(pieces.flatMap((piece) => [...decoder.push(piece)]));
  decoder.end();
  return { content, trailers: Object.fromEntries(decoder.trailers) };
}

const framing = fc.record({
  isSigned: fc.boolean(),
  trailers: fc.constantFrom({}, { "x-amz-checksum-crc32": "AAAAAA==" }),
});
const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 });
const places = fc.array(fc.nat(), { maxLength: 12 });

it("content and trailing headers are read, however the body is cut", () => {
  const property = fc.property(chunks, framing, places, (content, how, at) => {
    const found = decoded(cut(framed(content, how), at), how.isSigned);
    expect(found.content.equals(Buffer.concat(content))).toBe(true);
    expect(found.trailers).toEqual(how.trailers);
  });
  fc.assert(property, { numRuns: 300 });
});

it("a signed body with any changed byte is refused, or has the same meaning", () => {
  const property = fc.property(
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 }),
    fc.nat(),
    fc.integer({ min: 1, max: 255 }),
    (content, at, difference) => {
      const body = framed(content, { isSigned: true, trailers: { a: "b" } });
      const place = at % body.length;
      body.writeUInt8(body.readUInt8(place) ^ difference, place);
      // The case of hex digits and header names does not matter.
      const outcome = outcomeOf(() => decoded([body], true).content);
      const acceptable = [Buffer.concat(content).toString("hex"), ...REFUSALS];
      expect(acceptable).toContain(outcome);
    },
  );
  fc.assert(property, { numRuns: 400 });
});

const REFUSALS = ["SignatureDoesNotMatch", "IncompleteBody"];

/** The content in hex, or the code of the error. */
function outcomeOf(decode: () => Buffer): string {
  try {
    return decode().toString("hex");
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

describe("a framing is refused:", () => {
  it.each([
    ["the end is missing", "5\r\nhello\r\n"],
    ["the content is cut off", "5\r\nhel"],
    ["the body is empty", ""],
    ["a chunk is longer than its size", "2\r\nhello\r\n0\r\n\r\n"],
    ["a size is no number", "five\r\nhello\r\n0\r\n\r\n"],
    ["a size is far too large", "fffffffffffff\r\n"],
    ["bytes follow the end", "0\r\n\r\nmore"],
    ["a line has no end", "a".repeat(10_000)],
    ["a trailing header has no name", "0\r\nnonsense\r\n\r\n"],
    [
      "there are too many trailing headers",
      `0\r\n${Array.from({ length: 40 }, (_, at) => `h${at}:x\r\n`).join("")}\r\n`,
    ],
  ])("%s", (_what, text) => {
    expect(() => decoded([Buffer.from(text)], false)).toThrow(
      expect.objectContaining({ code: "IncompleteBody" }),
    );
  });

  it("chunks without signatures where they must be signed", () => {
    const body = framed([Buffer.from("hello")], { isSigned: false, trailers: {} });
    expect(() => decoded([body], true)).toThrow("a chunk has no signature");
  });
});

it("chunks of a signed body cannot be omitted, swapped or repeated", () => {
  const [one, two] = [Buffer.from("one"), Buffer.from("two")];
  const whole = framed([one, two], { isSigned: true, trailers: {} });
  const length = "3;chunk-signature=".length + 64 + 2 + 3 + 2;
  const [first, second, end] = [
    whole.subarray(0, length),
    whole.subarray(length, 2 * length),
    whole.subarray(2 * length),
  ];
  expect(decoded([first, second, end], true).content.toString()).toBe("onetwo");
  for (const order of [
    [second, end],
    [first, end],
    [second, first, end],
    [first, first, end],
  ]) {
    expect(() => decoded(order, true)).toThrow(
      expect.objectContaining({ code: "SignatureDoesNotMatch" }),
    );
  }
});

it("trailing headers of a signed body must be signed as well", () => {
  const whole = framed([Buffer.from("x")], { isSigned: true, trailers: { a: "b" } }).toString();
  const unsigned = whole.replace(/x-amz-trailer-signature:.*\r\n/, "");
  for (const body of [unsigned, whole.replace("a:b", "a:c"), whole.replace("a:b\r\n", "")]) {
    expect(() => decoded([Buffer.from(body)], true)).toThrow(
      expect.objectContaining({ code: "SignatureDoesNotMatch" }),
    );
  }
});

it("lines can end in both documented ways", () => {
  const body = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32c:sOO8/Q==\n\r\n\r\n";
  expect(decoded([Buffer.from(body)], false).trailers).toEqual({
    "x-amz-checksum-crc32c": "sOO8/Q==",
  });
});
