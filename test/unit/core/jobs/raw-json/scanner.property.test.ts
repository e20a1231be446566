/** Compares the scanner with the platform's JSON.parse on arbitrary, damaged and exhaustive small texts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanJson, SlicedScan } from "../../../../../emulator/core/jobs/raw-json/scan.ts";
import {
  JsonScanner,
  type ScanOptions,
  type ScanResult,
} from "../../../../../emulator/core/jobs/raw-json/scanner.ts";
import {
  chunkSizes,
  damagedBytes,
  inChunks,
  jsonText,
  knownObjects,
  platformAccepts,
  tokenSoup,
} from "./json-texts.ts";
import { sized } from "../../../../setup/size.ts";

const RUNS = { numRuns: sized(700, 2_000) };
const TEXTS = sized(2_000, 6_000);

const jsonBytes = jsonText.map((text) => Buffer.from(text));

function scanInChunks(chunks: readonly Buffer[], options?: ScanOptions): ScanResult {
  const scanner = new JsonScanner(options);
  for (const chunk of chunks) {
    // A caller reuses its buffers: the scanner must not look at a chunk again.
    const copy = Buffer.from(chunk);
    scanner.push(copy);
    copy.fill(0xff);
  }
  return scanner.end();
}

describe("the scanner agrees with JSON.parse", () => {
  it("on every text, damaged or not, wherever it is cut", () => {
    let accepted = 0;
    const texts = fc.oneof(
      jsonBytes,
      damagedBytes,
      damagedBytes,
      tokenSoup.map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(texts, chunkSizes, (bytes, sizes) => {
        const scan = scanJson(bytes);
        expect(scan.ok).toBe(platformAccepts(bytes));
        expect(scanInChunks(inChunks(bytes, sizes))).toEqual(scan);
        if (scan.ok) accepted++;
      }),
      { numRuns: TEXTS },
    );
    expect(accepted).toBeGreaterThan(TEXTS / 4);
    expect(accepted).toBeLessThan((TEXTS / 4) * 3);
  });

  it("on the place of the last value of each wanted key, wherever the text is cut", () => {
    const wanted = fc.option(fc.constant<string[]>(["a", "__proto__", ""]), { nil: undefined });
    fc.assert(
      fc.property(knownObjects, chunkSizes, wanted, ({ bytes, rawValues }, sizes, keep) => {
        const scan = scanInChunks(inChunks(bytes, sizes), keep && { keep });
        if (!scan.ok) throw new Error(scan.fault.message);
        const found = [...scan.members].map(
          ([key, { start, end }]) => [key, bytes.subarray(start, end).toString()] as const,
        );
        const kept = [...rawValues].filter(([key]) => keep?.includes(key) ?? true);
        expect(new Map(found)).toEqual(new Map(kept));
      }),
      RUNS,
    );
  });
});

describe("lines of JSON", () => {
  const noWait = () => Promise.resolve();
  const LINE_BYTES = 60;

  /** The state of a scan in slices. */
  async function areJsonLines(bytes: Uint8Array, count: number): Promise<boolean> {
    const scanner = new JsonScanner({ keep: [], lines: true });
    const { ok } = await new SlicedScan(noWait).scan(scanner, bytes);
    return ok && scanner.lineCount === count && scanner.longestLineBytes <= LINE_BYTES;
  }

  /** Reads line by line with the platform's parser. */
  function areLines(bytes: Buffer, count: number, maxLineBytes = LINE_BYTES): boolean {
    const lines = bytes.toString("latin1").split("\n");
    return (
      lines.pop() === "" &&
      lines.length === count &&
      lines.every((line) => {
        const isShort = line.length <= maxLineBytes && !line.includes("\r");
        return isShort && platformAccepts(Buffer.from(line, "latin1"));
      })
    );
  }

  it("are accepted if and only if each of them is JSON without line breaks", async () => {
    let accepted = 0;
    const line = fc.oneof(
      { weight: 9, arbitrary: jsonBytes.map((bytes) => bytes.filter((byte) => byte > 0x0d)) },
      damagedBytes,
    );
    const lines = fc.array(line, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 3 }), async (texts, count) => {
        const bytes = Buffer.concat(texts.flatMap((text) => [text, Buffer.from("\n")]));
        const expected = areLines(bytes, count);
        if (expected) accepted++;
        expect(await areJsonLines(bytes, count)).toBe(expected);
      }),
      RUNS,
    );
    expect(accepted).toBeGreaterThan(RUNS.numRuns / 20);
  });

  it("are accepted by this rule in chunks too, with any byte changed, and wherever they are cut", () => {
    const chunks = ["", "a text", "x".repeat(40)].map(
      (text, at) => `{"output":"${text}","metrics":{"stream_index":${at * 10}}}\n`,
    );
    const bytes = Buffer.from(chunks.join(""));
    const others = Buffer.from('\u0000\n\r "\\{}:,0199\u007f\u0080é', "latin1");
    for (let at = 0; at < bytes.length; at += 1) {
      for (const other of [undefined, ...others]) {
        const changed = Buffer.from(bytes);
        changed[at] = other ?? changed[at] ?? 0;
        for (const cut of [0, at]) {
          const scanner = new JsonScanner({ lines: true });
          scanner.push(changed.subarray(0, cut));
          scanner.push(changed.subarray(cut));
          const found = [scanner.end().ok && scanner.lineCount === 3, scanner.longestLineBytes];
          const areThree = areLines(changed, 3, Infinity);
          expect([at, other, cut, found[0]]).toEqual([at, other, cut, areThree]);
          if (areThree) expect(found[1]).toBe((chunks[2]?.length ?? 0) - 1);
        }
      }
    }
  });

  it("are refused without the last line feed", async () => {
    expect(await areJsonLines(Buffer.from("1\n2"), 2)).toBe(false);
  });

  it.each(['"a\n"', "[1,\n2]", "1\r", "1\n", "", " \n1", '{"a"\n:1}', "[1\n]"])(
    "are refused with a line break in one: %j",
    async (text) => {
      for (const count of [1, 2, 3]) {
        const lines = Buffer.from(`0\n${text}\n`);
        expect(await areJsonLines(lines, count)).toBe(false);
      }
    },
  );
});

describe("the scanner agrees with JSON.parse on every", () => {
  it("text of up to four of JSON's characters", () => {
    const alphabet = Buffer.from('{}[]:,"\\ 01-+.eu');
    let texts: readonly number[][] = [[]];
    for (let length = 1; length <= 4; length++) {
      texts = texts.flatMap((start) => Array.from(alphabet, (byte) => [...start, byte]));
      const wrong = texts.filter((text) => {
        const bytes = Buffer.from(text);
        return scanJson(bytes).ok !== platformAccepts(bytes);
      });
      expect(wrong).toEqual([]);
    }
  });

  it("byte sequence of up to four bytes at the borders of the UTF-8 table", () => {
    const borders = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
    const leads = Array.from({ length: 128 }, (_, index) => 0x80 + index);
    /** First bytes of sequences of four bytes: in `npm test` those around the changes of the table. */
    const LONG_LEADS = sized([0xe0, 0xed, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff], leads);
    let sequences: readonly number[][] = leads.map((lead) => [lead]);
    for (let length = 1; length <= 4; length++) {
      const wrong = sequences.filter((sequence) => {
        const bytes = Buffer.from([0x22, ...sequence, 0x22]);
        return scanJson(bytes).ok !== platformAccepts(bytes);
      });
      expect(wrong).toEqual([]);
      if (length === 3) sequences = sequences.filter(([lead = 0]) => LONG_LEADS.includes(lead));
      sequences = sequences.flatMap((start) => borders.map((byte) => [...start, byte]));
    }
  });

  it("single byte in each place of a text", () => {
    const text = Buffer.from('{"a\\u00e9":[-0.5e+1,true,false,null,"é€𝄞"]} ');
    const wrong: string[] = [];
    for (let at = 0; at < text.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const bytes = Buffer.from(text);
        bytes[at] = byte;
        if (scanJson(bytes).ok !== platformAccepts(bytes)) wrong.push(`${byte} at ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
