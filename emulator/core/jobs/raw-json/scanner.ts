/** Checks JSON as its bytes arrive and notes the spans of the top-level object's members, without parsing it. */
import { Buffer } from "node:buffer";
import { type JsonFault, tooDeep, unexpectedByte, unexpectedEnd } from "./fault.ts";
import {
  ACTION,
  FIRST_ACTION,
  isCompleteNumber,
  LINE_TRANSITIONS,
  stateOf,
  TRANSITIONS,
} from "./grammar.ts";
import { endOfPlainChunk } from "./plain-chunk.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { PlainTextFinder } from "../../../../runtime/protocol/plain-text.ts";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** Span of the raw text of a member's value: `bytes.subarray(start, end)`, without surrounding whitespace. */
export interface JsonSpan {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
}

/** Result of {@link JsonScanner.end} for a whole text. */
export type ScanResult =
  | {
      readonly ok: true;
      readonly kind: JsonKind;
      /** The members of a top-level object by decoded key; the last of duplicates. Empty for other kinds. */
      readonly members: ReadonlyMap<string, JsonSpan>;
      /** The first unwanted keys, as many as are noted. */
      readonly others: readonly string[];
    }
  | { readonly ok: false; readonly fault: JsonFault };

export interface ScanOptions {
  /** Deepest nesting of arrays and objects; default `LIMITS.jsonMaxDepth` (ours). */
  readonly maxDepth?: number;
  /**
   * Keys with wanted spans; default: all. Name them for a text from outside: otherwise memory grows with the number of members
   * and the length of their keys.
   */
  readonly keep?: readonly string[];
  /** Maximum number of other keys that are noted; a key longer than the longest wanted one is not. Default: none. */
  readonly noteOthers?: number;
  /** Name of the text in messages; default `the body`. */
  readonly subject?: string;
  /** Whether a client sent the text, perhaps from a shell: it may begin with a byte order mark. Default: no. */
  readonly isSent?: boolean;
  /** Any number of texts, each without line breaks and followed by a line feed; default one text. */
  readonly lines?: boolean;
}

/** Maximum bytes of a UTF-16 unit in a raw key: `\uXXXX`. */
const MAX_BYTES_PER_UNIT = 6;

/** Number of bytes of a string that are checked one by one, before the rest is skipped by {@link PlainTextFinder}. */
const SHORT_BYTES = 32;

const NO_BYTES = Buffer.alloc(0);

/** Size of the byte order mark at the beginning of the bytes; 0 without one. Windows writes it into files of UTF-8. */
export function markBytes(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const START = stateOf("start");
const STRING = stateOf("string");
const DONE = stateOf("done");
const VALUE = stateOf("value");
const FIRST_ITEM = stateOf("firstItem");
const FIRST_KEY = stateOf("firstKey");
const COLON = stateOf("colon");
const TOP_COLON = stateOf("topColon");
const AFTER_ITEM = stateOf("afterItem");
const AFTER_MEMBER = stateOf("afterMember");

/** The row of the table for the inside of strings, where most bytes of large bodies are. */
const IN_STRING = TRANSITIONS.subarray(STRING * 256, (STRING + 1) * 256);

/**
 * A pushdown automaton over bytes: strict RFC 8259, strict UTF-8, nesting limited, nothing recursive. Feed it
 * with {@link push} in chunks cut anywhere, then ask {@link end}. Memory: a value for each open bracket, the
 * wanted spans, and a wanted key that is cut by a chunk border.
 */
export class JsonScanner {
  readonly #maxDepth: number;
  readonly #subject: string;
  readonly #keep: readonly string[] | undefined;
  readonly #maxKeyBytes: number;
  readonly #members = new Map<string, JsonSpan>();
  readonly #noteOthers: number;
  readonly #others: string[] = [];
  /** For each open bracket: whether it belongs to an object. */
  readonly #areObjects: boolean[] = [];
  readonly #transitions: Uint8Array;
  readonly #isSent: boolean;
  #state = START;
  #fault: JsonFault | undefined;
  /** Bytes of all chunks before the present one. */
  #base = 0;
  #kind: JsonKind = "null";
  #inKey = false;
  /** Set between the opening and the closing quote of a key of the top-level object. */
  #keyStart: number | undefined;
  /** The beginning of that key, if it arrived in earlier chunks. */
  #keyHead: Buffer = NO_BYTES;
  /** The wanted member that is being read. */
  #memberKey: string | undefined;
  #memberKind: JsonKind = "null";
  #memberStart = 0;
  #lineStart = 0;
  /** Number of finished lines, and the size of the longest of them without its line feed. */
  lineCount = 0;
  longestLineBytes = 0;

  constructor(options: ScanOptions = {}) {
    const { keep, lines } = options;
    this.#maxDepth = options.maxDepth ?? LIMITS.jsonMaxDepth;
    this.#subject = options.subject ?? "the body";
    this.#keep = keep;
    let maxUnits = keep ? 0 : Number.POSITIVE_INFINITY;
    for (const { length } of keep ?? []) maxUnits = Math.max(maxUnits, length);
    this.#maxKeyBytes = maxUnits * MAX_BYTES_PER_UNIT;
    this.#noteOthers = options.noteOthers ?? 0;
    this.#isSent = options.isSent ?? false;
    this.#transitions = lines ? LINE_TRANSITIONS : TRANSITIONS;
  }

  /** Takes the next bytes. Returns the fault as soon as there is one; after that nothing more is read. */
  push(chunk: Uint8Array): JsonFault | undefined {
    if (this.#fault !== undefined) return this.#fault;
    const length = chunk.length;
    const transitions = this.#transitions;
    let finder: PlainTextFinder | undefined;
    let state = this.#state;
    let i = this.#isSent && this.#base === 0 ? markBytes(chunk) : 0;
    while (i < length) {
      if (state === STRING) {
        const near = Math.min(length, i + SHORT_BYTES);
        while (i < near && IN_STRING[chunk[i] ?? 0] === STRING) i++;
        if (i === near) {
          finder ??= new PlainTextFinder(chunk);
          i = finder.endOfRun(i);
        }
        if (i === length) break;
      } else if (state === START && transitions === LINE_TRANSITIONS) {
        finder ??= new PlainTextFinder(chunk);
        const end = endOfPlainChunk(chunk, i, finder);
        if (end > i) {
          this.#endLine(this.#base + end - 1);
          i = end;
          continue;
        }
      }
      const byte = chunk[i] ?? 0;
      const next = transitions[(state << 8) | byte] ?? ACTION.reject;
      if (next < FIRST_ACTION) {
        state = next;
        i++;
        continue;
      }
      this.#state = state;
      i += this.#act(next, byte, i, chunk);
      if (this.#fault !== undefined) return this.#fault;
      state = this.#state;
    }
    this.#state = state;
    const end = this.#base + length;
    if (this.#keyStart !== undefined) {
      // A key that is longer than any wanted one is not kept.
      const isShort = end - this.#keyStart <= this.#maxKeyBytes;
      this.#keyHead = isShort ? Buffer.from(this.#keyUpTo(this.#keyStart, end, chunk)) : NO_BYTES;
    }
    this.#base = end;
    return undefined;
  }

  /** Ends the text. May be called once, after the last {@link push}. */
  end(): ScanResult {
    const last = this.#transitions === LINE_TRANSITIONS ? START : DONE;
    if (this.#fault === undefined && this.#state !== last) {
      if (isCompleteNumber(this.#state)) this.#endValue(this.#base);
      if (this.#state !== last) this.#fault = unexpectedEnd(this.#subject, this.#state, this.#base);
    }
    if (this.#fault !== undefined) return { ok: false, fault: this.#fault };
    return { ok: true, kind: this.#kind, members: this.#members, others: this.#others };
  }

  /** Performs `action`; returns the number of used bytes. 0 means that the byte is read again. */
  #act(action: number, byte: number, i: number, chunk: Uint8Array): 0 | 1 {
    const at = this.#base + i;
    switch (action) {
      // Only for the top-level value and, in a top-level object, its members.
      case ACTION.beginValue:
        this.#memberKind = KINDS[byte] ?? "number";
        if (this.#areObjects.length === 0) this.#kind = this.#memberKind;
        this.#memberStart = at;
        this.#state = VALUE;
        return 0;
      case ACTION.openObject:
      case ACTION.openArray:
        this.#open(action === ACTION.openObject, at);
        return 1;
      case ACTION.close:
        this.#areObjects.pop();
        this.#endValue(at + 1);
        return 1;
      case ACTION.beginKey:
        this.#inKey = true;
        if (this.#areObjects.length === 1) this.#keyStart = at + 1;
        this.#state = STRING;
        return 1;
      case ACTION.endString:
        if (this.#inKey) this.#endKey(at, chunk);
        else this.#endValue(at + 1);
        return 1;
      case ACTION.endLiteral:
        this.#endValue(at + 1);
        return 1;
      case ACTION.endNumber:
        this.#endValue(at);
        return 0;
      case ACTION.endLine:
        this.#endLine(at);
        return 1;
      default: {
        const text = { subject: this.#subject, isSent: this.#isSent };
        this.#fault = unexpectedByte(text, this.#state, byte, at);
        return 0;
      }
    }
  }

  /** @param at place of its line feed */
  #endLine(at: number): void {
    this.lineCount += 1;
    this.longestLineBytes = Math.max(this.longestLineBytes, at - this.#lineStart);
    this.#lineStart = at + 1;
    this.#state = START;
  }

  #open(isObject: boolean, at: number): void {
    if (this.#areObjects.length >= this.#maxDepth) {
      this.#fault = tooDeep(this.#subject, this.#maxDepth, at);
      return;
    }
    this.#areObjects.push(isObject);
    this.#state = isObject ? FIRST_KEY : FIRST_ITEM;
  }

  #endValue(end: number): void {
    const depth = this.#areObjects.length;
    if (depth === 1 && this.#memberKey !== undefined) {
      const span = { kind: this.#memberKind, start: this.#memberStart, end };
      this.#members.set(this.#memberKey, span);
      this.#memberKey = undefined;
    }
    if (depth === 0) this.#state = DONE;
    else this.#state = this.#areObjects[depth - 1] === true ? AFTER_MEMBER : AFTER_ITEM;
  }

  #endKey(end: number, chunk: Uint8Array): void {
    this.#inKey = false;
    const start = this.#keyStart;
    this.#state = start === undefined ? COLON : TOP_COLON;
    if (start === undefined) return;
    if (end - start <= this.#maxKeyBytes) {
      const text = this.#keyUpTo(start, end, chunk).toString("utf8");
      const key = text.includes("\\") ? String(JSON.parse(`"${text}"`)) : text;
      const isWanted = this.#keep === undefined || this.#keep.includes(key);
      this.#memberKey = isWanted ? key : undefined;
      if (!isWanted && this.#others.length < this.#noteOthers) this.#others.push(key);
    }
    this.#keyStart = undefined;
    this.#keyHead = NO_BYTES;
  }

  /** The bytes of a top-level key from its beginning to `end`. */
  #keyUpTo(start: number, end: number, chunk: Uint8Array): Buffer {
    const from = Math.max(start - this.#base, 0);
    const { buffer, byteOffset } = chunk;
    const piece = Buffer.from(buffer, byteOffset + from, end - this.#base - from);
    return this.#keyHead.length === 0 ? piece : Buffer.concat([this.#keyHead, piece]);
  }
}

/** Kinds of values by their first byte; any other byte begins a number. */
const KINDS: Readonly<Record<number, JsonKind>> = {
  [0x7b]: "object",
  [0x5b]: "array",
  [0x22]: "string",
  [0x74]: "boolean",
  [0x66]: "boolean",
  [0x6e]: "null",
};
