/** Log entries in a terminal, with and without colours. */
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../../../emulator/core/observe/log/log-entry.ts";
import { prettyLine } from "../../../../emulator/cli/log/pretty-line.ts";

const PLAIN = { colors: false, stacks: false };
/** Local time, so the test passes in every time zone. */
const AT = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
const service: LogEntry = { at: AT, level: "info", message: "worker started", fields: {} };
const handler = {
  source: "handler",
  endpointId: "hello",
  workerId: "ckjdtwcbr7b6wq",
  jobId: "01a1fa78-3741-7e3d-9b8d-1f14844a6dd2-e1",
} as const;

const plain = (entry: Partial<LogEntry>) => prettyLine({ ...service, ...entry }, PLAIN);

test("an entry of the service shows the time of day, level, message and values", () => {
  expect(
    plain({ fields: { endpointId: "hello", tries: 2, gone: undefined, why: "no room", all: [] } }),
  ).toBe('03:04:05.006 info worker started endpointId=hello tries=2 why="no room"\n');
});

test("output of a handler follows a bar, after its endpoint and the end of its job's id", () => {
  expect(plain({ message: "hi", origin: handler })).toBe(
    "03:04:05.006 hello …f14844a6dd2-e1 | hi\n",
  );
});

test("a line without a known job follows a bar too", () => {
  const { jobId: _, ...origin } = handler;
  expect(plain({ message: "loading", origin })).toBe("03:04:05.006 hello | loading\n");
});

test("a level other than info is shown", () => {
  expect(plain({ level: "warn", message: "hot", origin: handler })).toMatch(/ \| warn hot\n$/);
});

test("a line of the worker program names the worker, and repeats nothing", () => {
  const origin = { source: "worker", endpointId: "hello", workerId: "w1" } as const;
  const fields = { workerId: "w1", endpointId: "hello", concurrency: 4 };
  expect(plain({ message: "ready", fields, origin })).toBe(
    "03:04:05.006 hello worker w1: ready concurrency=4\n",
  );
});

describe("errors", () => {
  const err = new TypeError("broken");

  test("are one sentence", () => {
    expect(plain({ level: "error", message: "sorry", fields: { err, stack: "at …" } })).toBe(
      "03:04:05.006 error sorry err=TypeError: broken\n",
    );
  });

  test("are shown in full on request", () => {
    const text = prettyLine({ ...service, fields: { err } }, { colors: false, stacks: true });
    expect(text).toContain(err.stack);
  });
});

describe("colours", () => {
  const coloured = (message: string) =>
    prettyLine({ ...service, message, origin: handler }, { colors: true, stacks: false });

  test("are used on request, and a handler's own stay", () => {
    expect(coloured("\u001b[32mgreen\u001b[39m")).toContain("\u001b[32mgreen\u001b[39m");
    expect(coloured("x")).toContain("\u001b[35mhello\u001b[39m");
  });

  test("are removed otherwise, even a handler's own", () => {
    const text = plain({ message: "\u001b[32mgreen\u001b[39m", origin: handler });
    expect(text).toMatch(/ \| green\n$/);
  });
});

test("sequences that move the cursor are removed", () => {
  expect(plain({ message: "a\rb\bc\u0007\td", origin: handler })).toMatch(/ \| abc\td\n$/);
});
