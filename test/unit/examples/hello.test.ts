// The hello example greets in each form of a handler, and names the problem of a bad name.
import { describe, expect, it } from "vitest";
import asyncGenerator from "../../../examples/hello/forms/async-generator.ts";
import asyncForm from "../../../examples/hello/forms/async.ts";
import generator, { aggregate } from "../../../examples/hello/forms/generator.ts";
import syncForm from "../../../examples/hello/forms/sync.ts";
import { MAX_NAME_LENGTH } from "../../../examples/hello/greeting.ts";
import hello from "../../../examples/hello/handler.ts";
import { fakeContext, fakeJob } from "./fake-job.ts";

const ada = fakeJob({ name: "Ada" });

describe("hello", () => {
  it.each(["Ada", "Ada Lovelace", "Łukasz", "李雷", "x".repeat(MAX_NAME_LENGTH)])(
    "greets %s",
    (name) => {
      expect(hello(fakeJob({ name }))).toEqual({ greeting: `Hello, ${name}!` });
    },
  );

  it("trims the space around a name", () => {
    expect(hello(fakeJob({ name: "  Ada\n" }))).toEqual({ greeting: "Hello, Ada!" });
  });

  it.each([
    ["an input without a name", {}, "input.name is missing"],
    ["an input that is no object", "Ada", "input.name is missing"],
    ["a null input", null, "input.name is missing"],
    ["a number for a name", { name: 7 }, "input.name must be a string, not a number."],
    ["null for a name", { name: null }, "input.name must be a string, not null."],
    ["a list for a name", { name: ["Ada"] }, "input.name must be a string, not an array."],
    ["a blank name", { name: " \t" }, "input.name is blank"],
    [
      "a name that is one character too long",
      { name: "x".repeat(MAX_NAME_LENGTH + 1) },
      `input.name has ${MAX_NAME_LENGTH + 1} characters; at most ${MAX_NAME_LENGTH} are greeted.`,
    ],
  ])("refuses %s", (_, input, message) => {
    expect(() => hello(fakeJob(input))).toThrow(message);
  });
});

describe("the forms of a handler", () => {
  it("return the greeting, at once or later", async () => {
    const { context, logged } = fakeContext(ada);
    expect(syncForm(ada, context)).toEqual({ greeting: "Hello, Ada!" });
    expect(logged).toEqual(["greeting Ada"]);
    await expect(asyncForm(ada, context)).resolves.toEqual({ greeting: "Hello, Ada!" });
  });

  it("yield the greeting in pieces that join to it", async () => {
    expect([...generator(ada)]).toEqual(["Hello, ", "Ada!"]);
    expect(aggregate).toBe(true);
    const letters = await Array.fromAsync(asyncGenerator(ada, fakeContext(ada).context));
    expect(letters).toHaveLength(11);
    expect(letters.join("")).toBe("Hello, Ada!");
  });

  it("stop waiting when the job is cancelled", async () => {
    const { context } = fakeContext(ada, AbortSignal.abort());
    await expect(asyncForm(ada, context)).rejects.toThrow("aborted");
    await expect(asyncGenerator(ada, context).next()).rejects.toThrow("aborted");
  });

  it("refuse a bad name equally", async () => {
    const nobody = fakeJob({});
    const { context } = fakeContext(nobody);
    expect(() => syncForm(nobody, context)).toThrow("input.name is missing");
    expect(() => generator(nobody).next()).toThrow("input.name is missing");
    await expect(asyncForm(nobody, context)).rejects.toThrow("input.name is missing");
    await expect(asyncGenerator(nobody, context).next()).rejects.toThrow("input.name is missing");
  });
});
