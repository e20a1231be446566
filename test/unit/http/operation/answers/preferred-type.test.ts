/** The offered media type that an Accept header prefers. */
import { expect, it } from "vitest";
import { preferredType } from "../../../../../emulator/http/operation/answers/preferred-type.ts";

const JSON_TYPE = "application/json";
const SSE = "text/event-stream";
const LINES = "application/x-ndjson";

it.each([
  [undefined, JSON_TYPE],
  ["", JSON_TYPE],
  ["*/*", JSON_TYPE],
  ["text/html", JSON_TYPE],
  ["text/event-stream", SSE],
  ["Text/Event-Stream; charset=utf-8", SSE],
  ["text/*", SSE],
  ["application/x-ndjson", LINES],
  ["application/x-ndjson, application/json", LINES],
  ["application/json, text/event-stream", JSON_TYPE],
  ["application/json;q=0.5, text/event-stream;q=0.9, */*;q=0.1", SSE],
  ["text/event-stream;q=0, application/x-ndjson;q=0.001", LINES],
  ["text/event-stream;q=abc", JSON_TYPE],
  [",;,", JSON_TYPE],
])("%j asks for %s", (accept, type) => {
  expect(preferredType(accept, [JSON_TYPE, SSE, LINES])).toBe(type);
});
