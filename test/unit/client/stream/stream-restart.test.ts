/** A reader of a stream is told when the job is restarted during the read. */
import { describe, expect, test } from "vitest";
import { StreamRestartedError, type EndpointClient } from "../../../../runtime/client/index.ts";
import { droppedLines, lines, playing } from "../service-double.ts";
import { chunk, DONE, stream } from "./stream-script.ts";

const RETRIED = { ...DONE, retries: 1 };
const second = { attempt: 2 };

/** Outputs and restarts in order. */
async function events(endpoint: EndpointClient, from = 0): Promise<unknown[]> {
  const seen: unknown[] = [];
  const onRestart = (attempt: number): void => void seen.push({ attempt });
  for await (const { output } of endpoint.stream("j", { onRestart, from })) seen.push(output);
  return seen;
}

describe("a restarted job", () => {
  test("calls onRestart before the first chunk of the new attempt", () =>
    playing(
      [
        stream(
          "",
          lines(
            chunk(0, "a"),
            chunk(1, "b"),
            { restart: 2 },
            chunk(0, "A", second),
            chunk(1, "B", second),
            RETRIED,
          ),
        ),
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual(["a", "b", { attempt: 2 }, "A", "B"]);
      },
    ));

  test("is reported once, whether by its own line, by the chunks or by both", () =>
    playing(
      [
        stream(
          "",
          lines(
            chunk(0, "a"),
            chunk(0, "A", second),
            { restart: 2 },
            chunk(1, "B", second),
            RETRIED,
          ),
        ),
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual(["a", { attempt: 2 }, "A", "B"]);
      },
    ));

  test("ends the read with a StreamRestartedError without a listener", () =>
    playing(
      [stream("", lines(chunk(0, "a"), { restart: 2 }, chunk(0, "A", second), RETRIED))],
      async ({ endpoint }) => {
        const reading = endpoint.stream("j");
        await reading.next();
        const error = await reading.next().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StreamRestartedError);
        expect(error).toMatchObject({ code: "stream_restarted", jobId: "j", attempt: 2 });
      },
    ));

  test("is not reported before the first chunk was read", () =>
    playing(
      [stream("", lines({ restart: 2 }, chunk(0, "A", second), RETRIED))],
      async ({ endpoint }) => {
        expect((await Array.fromAsync(endpoint.stream("j"))).map(({ output }) => output)).toEqual([
          "A",
        ]);
      },
    ));

  test("is reported to a reader that resumes at a later index", () =>
    playing(
      [stream("?from=2", lines({ restart: 2 }, chunk(0, "A", second), RETRIED))],
      async ({ endpoint }) => {
        expect(await events(endpoint, 2)).toEqual([{ attempt: 2 }, "A"]);
      },
    ));

  test("drops the parts of the first attempt's unfinished yield", () => {
    const split = { part: 0, continues: 0, last: false };
    return playing(
      [
        stream(
          "",
          lines(chunk(0, "half", { split }), { restart: 2 }, chunk(0, "whole", second), RETRIED),
        ),
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual([{ attempt: 2 }, "whole"]);
      },
    );
  });

  test("is read from its first chunk after a broken connection", () =>
    playing(
      [
        stream("", droppedLines([chunk(0, "a"), chunk(1, "b")])),
        stream("?from=2", lines(chunk(2, "C", second), RETRIED)),
        stream(
          "",
          lines(chunk(0, "A", second), chunk(1, "B", second), chunk(2, "C", second), RETRIED),
        ),
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual(["a", "b", { attempt: 2 }, "A", "B", "C"]);
      },
    ));

  test("is read from its first chunk when it has fewer chunks than before", () =>
    playing(
      [
        stream("", droppedLines([chunk(0, "a"), chunk(1, "b")])),
        stream("?from=2", lines(RETRIED)),
        stream("", lines(chunk(0, "A", second), RETRIED)),
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual(["a", "b", { attempt: 2 }, "A"]);
      },
    ));

  test("is reported to a reader at a later index, even if it was no retry and has fewer chunks", () => {
    const where = (id: string) => ({
      accept: "application/x-ndjson",
      "last-event-id": id,
    });
    return playing(
      [
        stream("", droppedLines([chunk(0, "a"), chunk(1, "b")])),
        // The job was handed back and started again twice: the attempt grows, `retries` does not.
        {
          ...stream("?from=2", droppedLines([{ restart: 2 }, chunk(0, "A", second)])),
          headers: where("1"),
        },
        {
          ...stream("?from=1", lines({ restart: 3 }, chunk(0, "α", { attempt: 3 }), DONE)),
          headers: where("2.0"),
        },
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual([
          "a",
          "b",
          { attempt: 2 },
          "A",
          { attempt: 3 },
          "α",
        ]);
      },
    );
  });

  test("ignores late chunks of the previous attempt", () =>
    playing(
      [
        stream(
          "",
          lines(
            chunk(0, "A", second),
            chunk(1, "b", { attempt: 1 }),
            chunk(1, "B", second),
            RETRIED,
          ),
        ),
      ],
      async ({ endpoint }) => {
        expect(await events(endpoint)).toEqual(["A", "B"]);
      },
    ));
});
