/** Each thrown value becomes a sentence. */
import { describe, expect, test } from "vitest";
import { describeThrown } from "../../../../runtime/handler/thrown.ts";

describe("the description of a thrown value", () => {
  test("has the message and stack of an error and of its causes", () => {
    const error = new Error("outer", { cause: new TypeError("inner") });
    const { message, stack } = describeThrown(error);
    expect(message).toBe("outer");
    expect(stack).toMatch(/Error: outer[^]*\ncaused by: TypeError: inner[^]*thrown\.test\.ts/u);
  });

  test("has the name of an error without a message", () => {
    expect(describeThrown(new RangeError()).message).toBe("RangeError");
  });

  test("names the errors of an AggregateError", () => {
    const errors = [new Error("one"), new Error("two", { cause: new Error("deep") }), 7];
    const { message, stack } = describeThrown(new AggregateError(errors));
    expect(message).toBe("AggregateError: one; two; 7");
    expect(stack).toMatch(
      /^AggregateError[^]*\none of its errors: Error: one[^]*\none of its errors: Error: two[^]*\ncaused by: Error: deep/u,
    );
    expect(describeThrown(new AggregateError(errors, "all failed")).message).toBe("all failed");
    const itself = new AggregateError([]);
    itself.errors.push(itself);
    expect(describeThrown(itself).message).toBe("AggregateError: AggregateError");
  });

  test("has the reason of a fetch that failed", async () => {
    const thrown: unknown = await fetch("http://127.0.0.1:9/").catch((error: unknown) => error);
    // Port 9 is one of those that fetch never asks.
    expect(describeThrown(thrown).message).toBe("fetch failed: bad port");
  });

  test("names both errors of a SuppressedError", () => {
    const both = new SuppressedError(new Error("of dispose"), new Error("of run"));
    const { message, stack } = describeThrown(both);
    expect(message).toBe("SuppressedError: of dispose; of run");
    expect(stack).toMatch(
      /one of its errors: Error: of dispose[^]*one of its errors: Error: of run/u,
    );
  });

  test("has an own message that is no string, and says so of one that cannot be read", () => {
    const odd = Object.assign(new Error(), { message: { code: 7 } });
    expect(describeThrown(odd).message).toBe("{ code: 7 }");
    const hostile = Object.defineProperty(new Error(), "message", {
      get() {
        throw new Error("no");
      },
    });
    expect(describeThrown(hostile).message).toBe("an error whose message cannot be read");
  });

  test("ends within an endless chain of causes", () => {
    const error = new Error("me again");
    error.cause = error;
    expect(describeThrown(error).stack?.split("caused by").length).toBeLessThan(10);
    error.stack = "";
    expect(describeThrown(error)).toEqual({ message: "me again" });
  });

  test.each([
    ["text", "text"],
    [undefined, "The handler threw undefined instead of an error."],
    [Symbol("s"), "The handler threw Symbol(s) instead of an error."],
    [{ message: 7 }, "The handler threw { message: 7 } instead of an error."],
    [12n, "The handler threw 12n instead of an error."],
  ])("of %s is its text", (thrown, message) => {
    expect(describeThrown(thrown)).toEqual({ message });
  });

  test("says so of a value that cannot be described", () => {
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

  test("cuts a message of a megabyte", () => {
    expect(describeThrown("x".repeat(1_000_000)).message.length).toBeLessThan(20_000);
  });
});
