/**
 * Results of joinChunks for arrays and asynchronous sources; and a property: the yields are whole however a
 * connection breaks.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createClient,
  joinChunks,
  JoinError,
  type RawChunk,
} from "../../../../runtime/client/index.ts";
import { splitJson } from "../../runtime/core/split-arbitrary.ts";
import { splittableAt, trickyJson } from "../../runtime/core/split-arbitrary.ts";
import { TestClock } from "../test-clock.ts";

const MAX_BYTES = 150;

/** The chunks that a worker sends for these yields. */
function chunksOf(yields: readonly unknown[], attempt?: number): RawChunk[] {
  const bodies = yields.flatMap((value) =>
    splitJson(value, MAX_BYTES).map(({ json, continues }, part, parts) => ({
      output: JSON.parse(json) as unknown,
      split: parts.length === 1 ? undefined : { part, continues, last: part === parts.length - 1 },
    })),
  );
  return bodies.map(({ output, split }, index) => ({
    output,
    metrics: {
      stream_index: index,
      ...(split === undefined ? {} : { split }),
      ...(attempt === undefined ? {} : { attempt }),
    },
  }));
}

const yields = fc.array(
  trickyJson.filter((value) => splittableAt(value, MAX_BYTES)),
  { maxLength: 6 },
);

async function* oneByOne<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe("joinChunks", () => {
  test("returns the yields of an array and of an asynchronous source", async () => {
    await fc.assert(
      fc.asyncProperty(yields, async (values) => {
        const chunks = chunksOf(values);
        const joined = joinChunks(chunks);
        expect(JSON.stringify(joined.map(({ output }) => output))).toBe(JSON.stringify(values));
        expect(joined.every(({ metrics }) => !("split" in metrics))).toBe(true);
        expect(await Array.fromAsync(joinChunks(oneByOne(chunks)))).toEqual(joined);
      }),
      { numRuns: 200 },
    );
  });

  test("drops the unfinished yield of an attempt that ended", () => {
    const first = chunksOf(["a", "b".repeat(400)]).slice(0, -1);
    const joined = joinChunks([...first, ...chunksOf(["c"], 2)]);
    expect(joined.map(({ output }) => output)).toEqual(["a", "c"]);
  });

  test.each([
    ["without its last part", chunksOf(["b".repeat(400)]).slice(0, -1)],
    ["without its first part", chunksOf(["b".repeat(400)]).slice(1)],
    [
      "followed by another before its last part",
      [...chunksOf(["b".repeat(400)]).slice(0, 1), ...chunksOf(["c"])],
    ],
    ["begun twice", [...chunksOf(["b".repeat(400)]).slice(0, 1), ...chunksOf(["b".repeat(400)])]],
  ])("refuses a yield %s", async (_name, chunks) => {
    expect(() => joinChunks(chunks)).toThrow(JoinError);
    await expect(Array.fromAsync(joinChunks(oneByOne(chunks)))).rejects.toThrow(JoinError);
  });
});

describe("a stream over a network that breaks anywhere", () => {
  test("returns each yield once, whole and in order", async () => {
    let wire: Buffer[] = [];
    let cuts: number[] = [];
    let connections = 0;
    const server = createServer((request, response) => {
      connections += 1;
      const from = Number(
        new URL(request.url ?? "/", "http://double").searchParams.get("from") ?? 0,
      );
      const rest = Buffer.concat(wire.slice(from));
      const cut = cuts.pop();
      if (cut === undefined) response.end(rest);
      else response.write(rest.subarray(0, cut), () => response.socket?.end());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const baseUrl = `http://127.0.0.1:${port}`;
    await using client = createClient({
      baseUrl,
      apiKey: "k",
      clock: new TestClock(),
      retry: { maxAttempts: 100 },
    });
    const endpoint = client.endpoint("e");
    const property = fc.asyncProperty(
      yields,
      fc.array(fc.nat(600), { maxLength: 5 }),
      async (values, someCuts) => {
        const end = { id: "j", status: "COMPLETED" };
        wire = [...chunksOf(values), end].map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
        cuts = someCuts.map((cut) => cut + 1);
        const seen = await Array.fromAsync(endpoint.stream("j"));
        expect(JSON.stringify(seen.map(({ output }) => output))).toBe(JSON.stringify(values));
      },
    );
    await fc.assert(property, { numRuns: 100 });
    expect(connections).toBeGreaterThan(100);
    server.close();
  });
});
