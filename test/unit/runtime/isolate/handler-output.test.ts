/** A handler's lines are passed on up to a rate, and the last lines are kept at any rate. */
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { HandlerOutput, type OutputLine } from "../../../../runtime/isolate/handler-output.ts";
import { printedLine } from "../../../../runtime/pipe/tagged-lines.ts";

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
  expect(passed).toHaveLength(1_000);
  expect(passed[0]).toEqual({ jobId: "a", text: "line 0", stream: "stdout" });
  expect(output.lastLines("a")).toHaveLength(20);
  expect(output.lastLines("a").at(-1)).toBe("line 2999");
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
