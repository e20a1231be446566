/** The reader finds a handler in every shape of a module, and names a wrong option. */
import { describe, expect, test } from "vitest";
import { defineHandler } from "../../../../../runtime/index.ts";
import { InitError } from "../../../../../runtime/handler/init-error.ts";
import { readModule } from "../../../../../runtime/handler/module/read-module.ts";

const run = (): string => "ran";
const setup = (): void => {};

describe("the reader of a handler's module", () => {
  test("accepts a function with named exports", () => {
    expect(readModule({ default: run }, "h.ts")).toEqual({
      run,
      concurrency: 1,
      aggregate: false,
      largeOutput: "fail",
      setup: undefined,
      hints: [],
    });
    const options = { concurrency: 8, aggregate: true, largeOutput: "upload", setup };
    expect(readModule({ default: run, ...options }, "h.ts")).toEqual({
      run,
      ...options,
      hints: [],
    });
  });

  test("accepts a definition, with options that override named exports", async () => {
    const definition: unknown = defineHandler({
      concurrency: 3,
      run(): unknown {
        return [this === definition];
      },
    });
    const loaded = readModule({ default: definition, concurrency: 9, setup }, "h.ts");
    expect(loaded).toMatchObject({ concurrency: 3, aggregate: false, setup });
    expect(Reflect.apply(loaded.run, undefined, [])).toEqual([true]);
  });

  test("accepts schemas that are objects or functions, and a function for concurrency", () => {
    const standard = { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) };
    const input = Object.assign(() => {}, { "~standard": standard });
    const output = { "~standard": standard };
    const concurrency = (): number => 2;
    const loaded = readModule({ default: run, input, output, concurrency }, "h.ts");
    expect(loaded).toMatchObject({ input, output, concurrency });
  });

  test("reports unknown options of a definition, with the probably intended one", () => {
    const definition = { run, concurrancy: 4, model: "small", dispose: setup };
    expect(readModule({ default: definition }, "h.ts").hints).toEqual([
      "h.ts has the unknown option `concurrancy`; did you mean `concurrency`?",
      "h.ts has the unknown option `model`; there are input, output, concurrency, aggregate, largeOutput, setup and dispose.",
    ]);
    expect(readModule({ default: { run, setup } }, "h.ts").hints).toEqual([]);
    expect(readModule({ default: run, model: "small" }, "h.ts").hints).toEqual([]);
  });

  test("accepts CommonJS: module.exports is the handler, or was compiled from ESM", () => {
    const exported = Object.assign(() => "ran", { concurrency: 2 });
    expect(readModule({ default: exported }, "h.cjs")).toMatchObject({ concurrency: 2 });
    const compiled = { default: { default: run, concurrency: 5, __esModule: true } };
    expect(readModule(compiled, "h.cjs")).toMatchObject({ run, concurrency: 5 });
  });

  test.each([
    [{}, "h.ts has no default export"],
    [{ default: null }, "The default export of h.ts is null"],
    [{ default: { fetch: run } }, "The default export of h.ts is an object: it must be a function"],
    [
      { default: run, concurrency: 0 },
      "`concurrency` of h.ts must be a whole number of at least 1",
    ],
    [{ default: run, concurrency: 1.5 }, "not number 1.5"],
    [{ default: run, concurrency: "4" }, "not string '4'"],
    [
      { default: run, largeOutput: "maybe" },
      '`largeOutput` of h.ts must be "fail" or "upload", not string \'maybe\'.',
    ],
    [{ default: run, aggregate: "yes" }, "`aggregate` of h.ts must be true or false"],
    [{ default: run, setup: {} }, "`setup` of h.ts must be a function, not an object"],
    [{ default: run, dispose: 7 }, "`dispose` of h.ts must be a function, not number 7"],
    [
      { default: run, input: {} },
      "`input` of h.ts must be a Standard Schema, for example one made",
    ],
    [{ default: { run, output: "text" } }, "`output` of h.ts must be a Standard Schema"],
  ])("refuses %j", (module, says) => {
    expect(() => readModule(module, "h.ts")).toThrow(InitError);
    expect(() => readModule(module, "h.ts")).toThrow(says);
  });
});
