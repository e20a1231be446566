/** Anything can be thrown; each thing becomes a sentence. */
import { describe, expect, test } from "vitest";
import { describeThrown } from "../../../../runtime/handler/thrown.ts";

describe("describing what was thrown", () => {
  test("an error gives its message and stack, and those of its causes", () => {
    const error = new Error("outer", { cause: new TypeError("inner") });
    const { message, stack } = describeThrown(error);
    expect(message).toBe("outer");
    expect(stack).toMatch(/Error: outer[^]*\ncaused by: TypeError: inner[^]*thrown\.test\.ts/u);
  });

  test("an error without a message gives its name", () => {
    expect(describeThrown(new RangeError()).message).toBe("RangeError");
  });

  test("an endless chain of causes ends", () => {
    const error = new Error("me again");
    error.cause = error;
    expect(describeThrown(error).stack?.split("caused by").length).toBeLessThan(10);
  });

  test.each([
    ["text", "text"],
    [undefined, "The handler threw undefined instead of an error."],
    [Symbol("s"), "The handler threw Symbol(s) instead of an error."],
    [{ message: 7 }, "The handler threw { message: 7 } instead of an error."],
    [12n, "The handler threw 12n instead of an error."],
  ])("%s", (thrown, message) => {
    expect(describeThrown(thrown)).toEqual({ message });
  });

  test("a value that resists is said to", () => {
    const hostile = new Proxy(
      {},
      {
        has() {
          throw new Error("no");
        },
      },
    );
    expect(describeThrown(hostile)).toEqual({
      message: "The handler threw a value that cannot be described.",
    });
  });

  test("a message of a megabyte is cut", () => {
    expect(describeThrown("x".repeat(1_000_000)).message.length).toBeLessThan(20_000);
  });
});
