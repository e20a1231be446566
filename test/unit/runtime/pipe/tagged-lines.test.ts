/** Printed lines keep their job's id on the way to the supervisor. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { logLine, parseLine, printedLine } from "../../../../runtime/pipe/tagged-lines.ts";
import { LOG_LEVELS } from "../../../../runtime/protocol/worker-log.ts";

const text = fc.string({ unit: "grapheme" }).filter((each) => !each.includes("\n"));
const jobId = fc.uuid().map((id) => `sync-${id}-e1`);

/** A line as the line reader passes it on. */
function received(line: string): string {
  expect(line.endsWith("\n")).toBe(true);
  return line.slice(0, -1);
}

test("a printed line is read back with its job", () => {
  fc.assert(
    fc.property(jobId, text, (id, printed) => {
      expect(parseLine(received(printedLine(id, printed)))).toEqual({ jobId: id, text: printed });
    }),
  );
});

test("an entry that belongs to no job is read back without one", () => {
  const line = received(logLine(undefined, { level: "warn", message: "loading" }, 1_000));
  expect(parseLine(line)).toEqual({ level: "warn", text: "loading" });
});

test("an entry of the log is read back with level and fields", () => {
  const fields = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(
      jobId,
      fc.constantFrom(...LOG_LEVELS),
      fc.string(),
      fields,
      (id, level, message, more) => {
        const { fields: read = {}, ...rest } = parseLine(
          received(logLine(id, { level, message, fields: more }, 1_000_000)),
        );
        expect(rest).toEqual({ jobId: id, level, text: message });
        expect(JSON.stringify(read)).toBe(JSON.stringify(more));
      },
    ),
  );
});

test("an entry too long for a line loses its fields first, then the end of its message", () => {
  const entry = { level: "info", message: "short", fields: { big: "x".repeat(5_000) } } as const;
  expect(parseLine(received(logLine("j", entry, 1_000)))).toEqual({
    jobId: "j",
    level: "info",
    text: "short",
  });
  const long = { level: "warn", message: "é\u0000".repeat(5_000) } as const;
  const line = logLine("j", long, 1_000);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(1_000);
  expect(parseLine(received(line)).text).toMatch(/^é\0é.*…$/su);
});

test("fields without a JSON form are left out", () => {
  const entry = { level: "info", message: "m", fields: { n: 1n } } as const;
  expect(parseLine(received(logLine("j", entry, 1_000)))).toEqual({
    jobId: "j",
    level: "info",
    text: "m",
  });
});

test.each(["plain", "", "\u001Eno close", "{}"])("%j belongs to no known job", (line) => {
  expect(parseLine(line)).toEqual({ text: line });
});

test("an invalid entry is shown unchanged", () => {
  expect(parseLine("\u001ELj\u001F{broken")).toEqual({ jobId: "j", text: "{broken" });
});
