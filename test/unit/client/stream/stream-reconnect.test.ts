/** Reads of a job's stream over connections that break. */
import { describe, expect, test } from "vitest";
import { InvalidResponseError } from "../../../../runtime/client/index.ts";
import { droppedLines, lines, playing, type Step } from "../service-double.ts";
import { chunk, DONE, outputs, part, stream } from "./stream-script.ts";
import { TestClock } from "../test-clock.ts";

describe("a broken connection", () => {
  test("is opened again at the first missing chunk, and a torn line is read again", () =>
    playing(
      [
        stream("", droppedLines([chunk(0, "a"), chunk(1, "b")], '{"output":"c","met')),
        stream("?from=2", droppedLines([])),
        stream("?from=2", lines(chunk(2, "c"), DONE)),
      ],
      async ({ endpoint, clock }) => {
        expect(await outputs(endpoint)).toEqual(["a", "b", "c"]);
        expect(clock.slept).toEqual([50, 100]);
      },
    ));

  test("in the middle of a split yield loses no part", () =>
    playing(
      [
        stream("", droppedLines([part(0, ["x"], 0, 0), part(1, ["y"], 1, 2)])),
        stream("?from=2", lines(part(2, ["z"], 2, 1, true), DONE)),
      ],
      async ({ endpoint }) => {
        expect(await outputs(endpoint)).toEqual([["xy", "z"]]);
      },
    ));

  test("that repeats chunks does not show them twice", () =>
    playing(
      [
        stream("", droppedLines([chunk(0, "a"), chunk(1, "b")])),
        stream("?from=2", lines(chunk(1, "b"), chunk(2, "c"), DONE)),
      ],
      async ({ endpoint }) => {
        expect(await outputs(endpoint)).toEqual(["a", "b", "c"]);
      },
    ));

  test("that omits chunks is an InvalidResponseError", () =>
    playing(
      [stream("", droppedLines([chunk(0, "a")])), stream("?from=1", lines(chunk(3, "d"), DONE))],
      async ({ endpoint }) => {
        const [, error] = await outputs(endpoint);
        expect(error).toBeInstanceOf(InvalidResponseError);
        expect(error).toMatchObject({
          message: "The stream of job j lacks the chunks 1 to 2.",
        });
      },
    ));

  test("that was closed regularly before the job's end is opened again too", () =>
    playing(
      [
        stream("", lines(chunk(0, "a"))),
        stream("?from=1", lines({ id: "j", status: "IN_PROGRESS" })),
        stream("?from=1", lines(DONE)),
      ],
      async ({ endpoint }) => {
        expect(await outputs(endpoint)).toEqual(["a"]);
      },
    ));

  test("is given up after maxAttempts connections in a row without data", () =>
    playing(
      [
        stream("", droppedLines([])),
        stream("", droppedLines([chunk(0, "a")])),
        stream("?from=1", droppedLines([])),
        stream("?from=1", droppedLines([])),
      ],
      async ({ endpoint }) => {
        const [first, error] = await outputs(endpoint);
        expect(first).toBe("a");
        expect(error).toMatchObject({
          name: "ConnectionError",
          message: expect.stringContaining("/stream/j"),
        });
      },
      { retry: { maxAttempts: 3 } },
    ));

  test("that had lasted long is no failure: quiet jobs survive proxies that close idle connections", () => {
    const clock = new TestClock();
    const quiet: Step["reply"] = (response, request) => {
      clock.advance(5000);
      droppedLines([])(response, request);
    };
    return playing(
      [1, 2, 3, 4].map(() => stream("", quiet)).concat(stream("", lines(DONE))),
      async ({ endpoint }) => {
        expect(await outputs(endpoint)).toEqual([]);
        expect(clock.slept).toEqual([50, 50, 50, 50]);
      },
      { retry: { maxAttempts: 2 }, clock },
    );
  });
});
