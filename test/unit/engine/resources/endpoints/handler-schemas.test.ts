/** Schemas of handlers from their workers: precedence, refusals, and when they are dropped. */
import { expect, test } from "vitest";
import { HandlerSchemaBook } from "../../../../../emulator/engine/resources/endpoints/handler-schemas.ts";
import { deleteEndpoint } from "../../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { createTestEngine } from "../../../engine-harness.ts";

const input = { type: "object", properties: { name: { type: "string" } } };
const output = { type: "string" };

function told(book: HandlerSchemaBook, endpointId: string, text: unknown, endpointVersion = 1) {
  const json = Buffer.from(typeof text === "string" ? text : JSON.stringify(text));
  book.note({ endpointId, endpointVersion }, json);
  return book.of(endpointId);
}

test("the schemas of the newest version count, and each change shows in the revision", () => {
  const book = new HandlerSchemaBook();
  expect(book.of("a")).toEqual({});
  expect(told(book, "a", { input })).toEqual({ input });
  const { revision } = book;
  expect(told(book, "a", { input })).toEqual({ input });
  expect(book.revision).toBe(revision);
  expect(told(book, "a", { input, output }, 2)).toEqual({ input, output });
  expect(told(book, "a", { output }, 1)).toEqual({ input, output });
  expect(book.endpointIds()).toEqual(["a"]);
  expect(told(book, "a", {}, 3)).toEqual({});
  expect(book.endpointIds()).toEqual([]);
  expect(book.revision).toBeGreaterThan(revision);
});

test.each([
  ["no JSON", "{"],
  ["no object", "[1]"],
  ["invalid schemas", { input: true, output: [] }],
  ["a text over the limit", { input: { description: "x".repeat(300_000) } }],
  ["a schema without end", `{"input":${'{"items":'.repeat(600)}{}${"}".repeat(601)}`],
])("%s is ignored", (_, text) => {
  expect(told(new HandlerSchemaBook(), "a", text)).toEqual({});
});

test("the least recently reported schemas are dropped when there are too many", () => {
  const book = new HandlerSchemaBook();
  const large = { input: { description: "x".repeat(200_000) } };
  for (let nr = 100; nr < 200; nr++) told(book, `e${nr}`, large);
  const ids = book.endpointIds();
  expect(ids.at(-1)).toBe("e199");
  expect(ids.length).toBeGreaterThan(70);
  expect(ids.length).toBeLessThan(81);
  expect(book.of("e100")).toEqual({});
});

test("a worker's report is kept for its endpoint, until that is deleted", async () => {
  await using harness = await createTestEngine();
  const { engine } = harness;
  const worker = await harness.connectWorker();
  await worker.session.receive({ schemas: Buffer.from(JSON.stringify({ input })) });
  expect(engine.schemas.of("echo")).toEqual({ input });
  await deleteEndpoint(engine, "echo");
  expect(engine.schemas.endpointIds()).toEqual([]);
});
