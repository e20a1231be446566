/** Every entry is exactly one line with one JSON object, whatever it contains. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../any-character.ts";
import { jsonLine } from "../../../../../emulator/core/observe/log/json-line.ts";
import { LOG_LEVELS } from "../../../../../emulator/core/observe/log/log-entry.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const head = { time: "2026-01-02T03:04:05.006Z", level: "info", msg: "m" };

function line(fields: Readonly<Record<string, unknown>>): unknown {
  return JSON.parse(jsonLine({ at: AT, level: "info", message: "m", fields }));
}

test("time, level and message come first, then the fields and the source", () => {
  const text = jsonLine({
    at: AT,
    level: "warn",
    message: "m",
    fields: { a: 1 },
    origin: { source: "handler", endpointId: "e", workerId: "w", jobId: "j", stream: "stdout" },
  });
  expect(text).toBe(
    '{"time":"2026-01-02T03:04:05.006Z","level":"warn","msg":"m","a":1,"source":"handler",' +
      '"endpointId":"e","workerId":"w","jobId":"j","stream":"stdout"}\n',
  );
});

test("no field replaces time, level or message", () => {
  expect(line({ time: 0, level: "x", msg: "x", b: 2 })).toEqual({ ...head, b: 2 });
});

test("an error is shown with its stack, its code and its cause", () => {
  const cause = new RangeError("inner");
  const err = Object.assign(new TypeError("outer", { cause }), { code: "E_X" });
  expect(line({ err })).toEqual({
    ...head,
    err: {
      type: "TypeError",
      message: "outer",
      stack: err.stack,
      code: "E_X",
      cause: { type: "RangeError", message: "inner", stack: cause.stack },
    },
  });
});

test("a value without a JSON form loses the fields, never the line", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(line({ circle })).toEqual({ ...head, fieldsLost: expect.stringContaining("circular") });
  expect(line({ big: 2n ** 70n })).toEqual({ ...head, big: "1180591620717411303424" });
});

test("any entry is one valid line", () => {
  fc.assert(
    fc.property(
      fc.record({
        at: fc.integer({ min: 0, max: 4e12 }),
        level: fc.constantFrom(...LOG_LEVELS),
        message: fc.string({ unit: anyCharacter }),
        fields: fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true })),
      }),
      (entry) => {
        const text = jsonLine(entry);
        expect(text.indexOf("\n")).toBe(text.length - 1);
        expect(JSON.parse(text)).toMatchObject({ level: entry.level, msg: entry.message });
      },
    ),
  );
});
