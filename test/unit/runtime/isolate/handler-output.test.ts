/** A handler's lines are passed on up to a rate, and the last lines are kept at any rate. */
import { EventEmitter } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import { HandlerOutput, type OutputLine } from "../../../../runtime/isolate/handler-output.ts";
import { printedLine, stateLine } from "../../../../runtime/pipe/tagged-lines.ts";

async function printed(
  text: string,
  from: "stdout" | "stderr" = "stdout",
): Promise<{ output: HandlerOutput; passed: OutputLine[] }> {
  const passed: OutputLine[] = [];
  const output = new HandlerOutput((line) => passed.push(line));
  const stream = new PassThrough();
  output.read(stream, from);
  stream.end(text);
  await new Promise((resolve) => stream.once("end", resolve));
  return { output, passed };
}

test("a flood of lines is passed on in part, and its end is kept", async () => {
  const lines = Array.from({ length: 3_000 }, (_, n) => printedLine("a", `line ${n}`));
  const { output, passed } = await printed(lines.join(""));
  expect(passed).toHaveLength(1_001);
  expect(passed[0]).toEqual({ jobId: "a", text: "line 0", stream: "stdout" });
  const told = "2000 lines of output were dropped: 1000 a second are passed on";
  expect(passed.at(-1)).toEqual({ stream: "stdout", level: "warn", text: told });
  expect(output.lastLines("a")).toHaveLength(20);
  expect(output.lastLines("a").at(-1)).toBe("line 2999");
});

test("the dropped part of a flood is told a second later, also if nothing more is printed", () => {
  vi.useFakeTimers();
  try {
    const passed: OutputLine[] = [];
    const output = new HandlerOutput((line) => passed.push(line));
    const source = new EventEmitter() as unknown as Readable;
    output.read(source, "stderr");
    source.emit("data", Buffer.from("line\n".repeat(1_500)));
    expect(passed).toHaveLength(1_000);
    vi.advanceTimersByTime(1_000);
    const told = { stream: "stderr", level: "warn", text: expect.stringMatching(/^500 lines/u) };
    expect(passed.slice(1_000)).toEqual([told]);
    source.emit("end");
    expect(passed).toHaveLength(1_001);
  } finally {
    vi.useRealTimers();
  }
});

test("a failure report has its job's lines and those of no known job", async () => {
  const text = `${printedLine("a", "mine")}from native code\n${printedLine("b", "another's")}`;
  const { output } = await printed(text);
  expect(output.lastLines("a")).toEqual(["mine", "from native code"]);
  expect(output.lastLines(undefined)).toEqual(["from native code"]);
});

test("the line about a lack of memory is kept beside the stack printed after it", async () => {
  const fatal = "FATAL ERROR: Reached heap limit - JavaScript heap out of memory\n";
  const stack = Array.from({ length: 40 }, (_, n) => `frame ${n}\n`).join("");
  const { output } = await printed(fatal + stack, "stderr");
  expect(output.sawHeapLimit).toBe(true);
  expect(output.lastLines("a")).toHaveLength(20);
  expect(output.lastLines("a")[0]).toContain("heap out of memory");
  expect(output.lastLines("a").at(-1)).toBe("frame 39");
});

describe("a progress bar", () => {
  /** Prints pieces of text, 50 ms apart, and returns the lines that were passed on. */
  function bar(pieces: readonly string[], stream: "stdout" | "stderr" = "stderr") {
    vi.useFakeTimers();
    try {
      const passed: string[] = [];
      const output = new HandlerOutput(({ text }) => passed.push(text));
      // The pieces are read at once, without turns of the event loop.
      const source = new EventEmitter() as unknown as Readable;
      output.read(source, stream);
      for (const piece of pieces) {
        source.emit("data", Buffer.from(piece));
        vi.advanceTimersByTime(50);
      }
      const before = passed.length;
      source.emit("end");
      return { passed, before, output };
    } finally {
      vi.useRealTimers();
    }
  }
  const percents = Array.from({ length: 100 }, (_, n) => n + 1);

  test.each([
    ["with \\r before each state, and no end", percents.map((n) => `\r${n}%`)],
    ["with \\r behind each state", percents.map((n) => `${n}%\r`)],
    ["that erases its line", percents.map((n) => `\r\u001B[2K${n}%`)],
    ["of a job", percents.map((n) => stateLine("a", `${n}%`))],
    [
      "of a job that ends its line",
      [...percents.map((n) => stateLine("a", `${n}%`)), printedLine("a", "100%")],
    ],
    ["that ends its line", [...percents.map((n) => `\r${n}%`), "\n"]],
    [
      "that is cleared in the end",
      [...percents.map((n) => stateLine("a", `${n}%`)), printedLine("a", "")],
    ],
  ])("%s is one line a second, and its last state", (_, pieces) => {
    for (const stream of ["stdout", "stderr"] as const) {
      const { passed } = bar(pieces, stream);
      expect(passed).toHaveLength(6);
      expect(passed.at(-1)).toBe("100%");
    }
  });

  test("many states in one piece are the last one", () => {
    const many = percents.map((n) => `\r${"=".repeat(200)} ${n}%`).join("");
    expect(bar([many]).passed).toEqual([`${"=".repeat(200)} 100%`]);
  });

  test("a state that nothing follows is shown a second later", () => {
    const pieces = ["\r1%", "\r2%", ...Array.from({ length: 30 }, () => "")];
    const { passed, before } = bar(pieces);
    expect([passed, before]).toEqual([["1%", "2%"], 2]);
  });

  test("of several rows is one line a second of each row", () => {
    const draw = (n: number) => `a ${n}%\nb ${n}%\n`;
    const pieces = percents.map((n) => (n === 1 ? draw(n) : `\u001B[2A\u001B[2K${draw(n)}`));
    const { passed } = bar(pieces);
    expect(passed.slice(0, 4)).toEqual(["a 1%", "b 1%", "a 2%", "b 2%"]);
    expect(passed.length).toBeLessThan(15);
    expect(passed.slice(-2)).toEqual(["a 100%", "b 100%"]);
  });

  test("\\r\\n is one line end, cut or not, and a bar pushes no other line out of a report", () => {
    expect(bar(["one\r\ntwo\r", "\nthree\r\r\n"]).passed).toEqual(["one", "two", "three"]);
    const { output } = bar(["loading\n", ...percents.map((n) => `\r${n}%`)]);
    expect(output.lastLines(undefined)).toEqual(["loading", "100%"]);
  });
});
