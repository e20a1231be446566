/** Lines of the log in the live service's stream, and the ids at which a reader continues. */
import { describe, expect, it, test } from "vitest";
import type { LogEntry } from "../../../../../emulator/core/observe/log/log-entry.ts";
import {
  lineId,
  momentIn,
  serialAt,
  serialIn,
  streamedLine,
} from "../../../../../emulator/core/observe/log/streamed-line.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const entry: LogEntry = { at: AT, level: "info", message: "text", fields: {} };
const origin = { source: "handler", endpointId: "e", workerId: "w" } as const;

test("lines of a program have the source container, and lines of the service have the source system", () => {
  const ts = "2026-01-02T03:04:05.006Z";
  const podLine = { ...entry, fields: { podId: "p", source: "pod" } };
  expect(streamedLine(podLine)).toEqual({ source: "container", line: "text", ts });
  expect(streamedLine({ ...entry, origin })).toEqual({ source: "container", line: "text", ts });
  expect(streamedLine(entry)).toEqual({ source: "system", line: "text", ts });
});

test("fields of a line for machines follow its text, except its owner", () => {
  const fields = { podId: "p", runId: "r", exitCode: 7, err: new Error("why") };
  const { line } = streamedLine({ ...entry, fields });
  expect(line).toContain('text {"exitCode":7,"err":{"type":"Error","message":"why"');
  const circle: Record<string, unknown> = {};
  circle["of"] = circle;
  expect(streamedLine({ ...entry, fields: circle }).line).toBe("text");
});

describe("the id of a line", () => {
  const line = streamedLine(entry);

  it("leads to the next line", () => {
    const serial = serialAt(AT) + 7;
    expect(lineId(line, serial)).toBe(`2026-01-02T03:04:05.006Z/${serial}`);
    expect(serialIn(lineId(line, serial))).toBe(serial);
  });

  it("can be a time alone, after all its lines", () => {
    const seen = serialIn("2026-01-02T03:04:05.006Z") ?? 0;
    expect(seen).toBeGreaterThan(serialAt(AT));
    expect(seen).toBeLessThan(serialAt(AT + 1));
  });

  it.each(["", "3", "no such event", "2026-01-02T03:04:05Z/x", "2026-13-02T03:04:05Z/1"])(
    "is not %j",
    (id) => {
      expect(serialIn(id)).toBeUndefined();
    },
  );
});

test.each([
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
  ["2026-01-02t03:04:05.123456789z", "2026-01-02T03:04:05.123Z"],
  ["2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05.000Z"],
])("%s is a time", (text, iso) => {
  expect(new Date(momentIn(text) ?? Number.NaN).toISOString()).toBe(iso);
});

test.each(["2026-01-02", "yesterday", "2026-01-02T03:04:05", "2026-02-31T99:00:00Z"])(
  "%s is no time",
  (text) => {
    expect(momentIn(text)).toBeUndefined();
  },
);
