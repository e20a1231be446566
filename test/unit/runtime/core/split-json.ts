/** Splits a value as a handler's yield is split, and joins what came of it as a reader does. */
import { Buffer } from "node:buffer";
import { Joiner, type ParsedPart } from "../../../../runtime/core/join.ts";
import { type JsonPart, splitJsonText } from "../../../../runtime/core/split-text.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";

/** @throws NotSplittableError */
export function splitJson(
  value: unknown,
  maxBytes: number = LIMITS.chunkMaxBytes,
): readonly JsonPart[] {
  return splitJsonText(Buffer.from(JSON.stringify(value)), maxBytes);
}

/** @throws JoinError */
export function joinParts(parts: Iterable<ParsedPart>): unknown {
  const joiner = new Joiner();
  for (const part of parts) joiner.add(part);
  return joiner.value();
}
