/** The worker's log has one line per entry, and is bounded. */
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { openWorkerLog } from "../../../../runtime/log/worker-log.ts";

/** A stream that accepts everything, or nothing until it is released. */
function sink(isStuck = false): { stream: Writable; text: () => string; release: () => void } {
  let text = "";
  let release = (): void => {};
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      text += chunk;
      if (isStuck) release = done;
      else done();
    },
  });
  return { stream, text: () => text, release: () => release() };
}

describe("the worker's log", () => {
  test("as JSON has time, level, message and all known fields", () => {
    const { stream, text } = sink();
    openWorkerLog("json", stream).write("warn", "two\nlines", { jobId: "j", stream: "stdout" });
    expect(text().endsWith("\n")).toBe(true);
    expect(JSON.parse(text())).toEqual({
      time: expect.any(Number),
      level: "warn",
      msg: "two\nlines",
      jobId: "j",
      stream: "stdout",
    });
  });

  test("as text shows time, level, job and the other fields", () => {
    const { stream, text } = sink();
    const log = openWorkerLog("pretty", stream);
    log.write("info", "hello", { jobId: "j", stream: "stdout", fields: { n: 1 } });
    log.write("error", "bye");
    expect(text()).toMatch(
      /^[\d:.]{12} info {2}\[j\] hello \{"fields":\{"n":1\}\}\n[\d:.]{12} error bye\n$/u,
    );
  });

  test("as text shows a failure with its error and the user's own frames", () => {
    const { stream, text } = sink();
    const log = openWorkerLog("pretty", stream);
    const stack = `TypeError: broken\n    at f (${process.cwd()}/a.ts:1:2)\n    at run (node:x:1:1)`;
    log.write("error", "broken", { outcome: "failed", type: "handler_error", stack });
    log.write("error", "It ended.", { outcome: "lost", type: "process_exited", exitCode: 7 });
    log.write("warn", "standby", { stack });
    expect(text().replaceAll(/[\d:.]{12}/gu, "TIME")).toBe(
      `TIME error failed: TypeError: broken
    at f (a.ts:1:2)
TIME error lost: process_exited: It ended. {"exitCode":7}
TIME warn  standby
    at f (a.ts:1:2)
`,
    );
  });

  test.each([
    ["debug", "debug info warn error"],
    ["warn", "warn error"],
    ["error", "error"],
  ] as const)("writes entries from the level %s on: %s", (least, written) => {
    const { stream, text } = sink();
    const log = openWorkerLog("json", stream, least);
    for (const level of ["debug", "info", "warn", "error"] as const) log.write(level, level);
    const levels = Array.from(text().matchAll(/"level":"(\w+)"/gu), ([, level]) => level);
    expect(levels.join(" ")).toBe(written);
  });

  test("drops and counts entries without a reader", () => {
    const { stream, text, release } = sink(true);
    const log = openWorkerLog("json", stream);
    for (let n = 0; n < 100; n++) log.write("info", "x".repeat(100_000));
    expect(stream.writableLength).toBeLessThan(5_000_000);
    const kept = Math.round(stream.writableLength / 100_000);
    const told = `"msg":"${100 - kept} log entries were dropped"`;
    while (stream.writableLength > 0) release();
    expect(text()).toContain(told);
    log.write("info", "again");
    release();
    expect(text()).toContain(`"msg":"again"`);
    expect(text().split(told)).toHaveLength(2);
  });
});
