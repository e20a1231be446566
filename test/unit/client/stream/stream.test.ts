/** Reads of a job's stream: in order, joined, to the job's end. */
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import {
  InvalidResponseError,
  JobFailedError,
  NotFoundError,
} from "../../../../runtime/client/index.ts";
import { json, lines, playing, refusal, type Step } from "../service-double.ts";
import { chunk, DONE, outputs, part, stream } from "./stream-script.ts";

describe("stream", () => {
  test("yields the handler's values with their metrics, and returns the completed job", () =>
    playing(
      [stream("", lines(chunk(0, "a", { pending: 2 }), chunk(1, { n: null }), DONE))],
      async ({ endpoint }) => {
        const reading = endpoint.stream("j");
        expect(await reading.next()).toEqual({
          done: false,
          value: { output: "a", metrics: { stream_index: 0, pending: 2 } },
        });
        expect(await reading.next()).toMatchObject({ done: false, value: { output: { n: null } } });
        expect(await reading.next()).toEqual({ done: true, value: DONE });
      },
    ));

  test("passes chunks on at once, however the network cuts them, and skips empty lines", async () => {
    const text = Buffer.from(
      `\n${JSON.stringify(chunk(0, "é€😀\u2028"))}\n \n${JSON.stringify(DONE)}\n`,
    );
    const read = Promise.withResolvers<void>();
    const end = text.lastIndexOf("\n", -2) + 1;
    const reply: Step["reply"] = (response) => {
      // Each byte is sent before the next is written.
      const writeFrom = (at: number): void => {
        if (at < end) response.write(text.subarray(at, at + 1), () => writeFrom(at + 1));
        else void read.promise.then(() => response.end(text.subarray(end)));
      };
      writeFrom(0);
    };
    await playing([stream("", reply)], async ({ endpoint }) => {
      const reading = endpoint.stream("j");
      expect((await reading.next()).value).toMatchObject({ output: "é€😀\u2028" });
      read.resolve();
      expect((await reading.next()).done).toBe(true);
    });
  });

  test("throws the error that the service reports in the stream", () =>
    playing(
      [
        stream(
          "",
          lines(chunk(0, "a"), { error: "it is gone", code: "job_not_found", status: 404 }),
        ),
      ],
      async ({ endpoint }) => {
        const reading = endpoint.stream("j");
        await reading.next();
        await expect(reading.next()).rejects.toThrow(NotFoundError);
      },
    ));

  test("joins a split yield, with the last part's metrics", () =>
    playing(
      [
        stream(
          "",
          lines(
            chunk(0, "a"),
            part(1, { t: ["x"] }, 0, 0),
            part(2, { t: ["y"] }, 1, 3),
            part(3, { u: 1 }, 2, 1, true),
            DONE,
          ),
        ),
      ],
      async ({ endpoint }) => {
        const seen = await Array.fromAsync(endpoint.stream("j"));
        expect(seen).toEqual([
          { output: "a", metrics: { stream_index: 0 } },
          { output: { t: ["xy"], u: 1 }, metrics: { stream_index: 3 } },
        ]);
      },
    ));

  test("raw returns the parts as sent", () => {
    const parts = [part(4, "x", 0, 0), part(5, "y", 1, 1, true)];
    return playing([stream("?from=4", lines(...parts, DONE))], async ({ endpoint }) => {
      expect(await Array.fromAsync(endpoint.stream("j", { raw: true, from: 4 }))).toEqual(parts);
    });
  });

  test("with from, continues after the known chunks; within a split yield it starts at the first part", () =>
    playing(
      [
        stream("?from=5", lines(part(5, "z", 2, 1, true), chunk(6, "b"), DONE)),
        stream(
          "?from=3",
          lines(
            part(3, "x", 0, 0),
            part(4, "y", 1, 1),
            part(5, "z", 2, 1, true),
            chunk(6, "b"),
            DONE,
          ),
        ),
      ],
      async ({ endpoint }) => {
        expect(await outputs(endpoint, { from: 5 })).toEqual(["xyz", "b"]);
      },
    ));

  test("a failed job is thrown after its chunks", () =>
    playing(
      [stream("", lines(chunk(0, "a"), { id: "j", status: "FAILED", error: "boom" }))],
      async ({ endpoint }) => {
        const [first, error] = await outputs(endpoint);
        expect(first).toBe("a");
        expect(error).toBeInstanceOf(JobFailedError);
        expect(error).toMatchObject({ message: "Job j failed: boom" });
      },
    ));

  test("an end without an id belongs to the requested job", () =>
    playing([stream("", lines({ status: "FAILED", error: "boom" }))], async ({ endpoint }) => {
      expect(await outputs(endpoint)).toEqual([
        expect.objectContaining({ message: "Job j failed: boom" }),
      ]);
    }));

  test("an unknown job is a NotFoundError, and 429 is retried", () =>
    playing(
      [
        stream("", refusal(429, "rate_limited", {}, { "retry-after": "1" })),
        stream("", refusal(404, "job_not_found")),
      ],
      async ({ endpoint, clock }) => {
        expect(await outputs(endpoint)).toEqual([expect.any(NotFoundError)]);
        expect(clock.slept).toEqual([1000]);
      },
    ));

  test("a break out of the loop closes the connection", async () => {
    const closed = Promise.withResolvers<unknown>();
    const reply: Step["reply"] = (response) => {
      closed.resolve(once(response, "close"));
      response.write(`${JSON.stringify(chunk(0, "a"))}\n`);
    };
    await playing([stream("", reply)], async ({ endpoint }) => {
      for await (const { output } of endpoint.stream("j")) {
        expect(output).toBe("a");
        break;
      }
      await closed.promise;
    });
  });

  test("a signal ends the read with its reason", () => {
    const stop = new AbortController();
    const reply: Step["reply"] = (response) =>
      void response.write(`${JSON.stringify(chunk(0, "a"))}\n`);
    return playing([stream("", reply)], async ({ endpoint }) => {
      const reading = endpoint.stream("j", { signal: stop.signal });
      await reading.next();
      const next = reading.next();
      stop.abort(new Error("enough"));
      await expect(next).rejects.toThrow("enough");
    });
  });

  test.each([
    ["a line that is not JSON", ["nonsense"]],
    ["a line of an unknown kind", ['{"hello":1}']],
    ["a chunk without an index", ['{"output":1,"metrics":{}}']],
    ["a split without its fields", ['{"output":1,"metrics":{"stream_index":0,"split":true}}']],
    ["an end with an unknown status", ['{"status":"SLEEPING"}']],
    [
      "parts that do not match",
      [JSON.stringify(part(0, 1, 0, 0)), JSON.stringify(part(1, 2, 1, 1, true))],
    ],
    ["a yield without its first part", [JSON.stringify(part(0, "y", 1, 1, true))]],
    ["an end within a yield", [JSON.stringify(part(0, "x", 0, 0)), JSON.stringify(DONE)]],
  ])("%s is an InvalidResponseError", (_name, texts) =>
    playing(
      [stream("", (response) => response.end(texts.map((text) => `${text}\n`).join("")))],
      async ({ endpoint }) => {
        expect(await outputs(endpoint)).toEqual([expect.any(InvalidResponseError)]);
      },
    ),
  );

  test("an answer that is no stream is an InvalidResponseError", () =>
    playing([stream("", json({ hello: 1 }))], async ({ endpoint }) => {
      expect(await outputs(endpoint)).toEqual([expect.any(InvalidResponseError)]);
    }));

  test("the last line needs no newline", () =>
    playing([stream("", json(DONE))], async ({ endpoint }) => {
      expect(await outputs(endpoint)).toEqual([]);
    }));
});
