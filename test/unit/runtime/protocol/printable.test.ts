/** Texts of users, handlers and remote servers cannot control the terminal that shows a log. */
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { prettyLine } from "../../../../emulator/cli/log/pretty-line.ts";
import { payloadText } from "../../../../emulator/cli/operate/show-job.ts";
import { plain } from "../../../../emulator/cli/operate/terminal.ts";
import { shortened } from "../../../../emulator/cli/build/view/quantities.ts";
import { fieldsInJson, jsonLine } from "../../../../emulator/core/observe/log/json-line.ts";
import type { LogEntry } from "../../../../emulator/core/observe/log/log-entry.ts";
import { openWorkerLog } from "../../../../runtime/log/worker-log.ts";
import { printable, printableJson } from "../../../../runtime/protocol/printable.ts";

/** U+0000 to U+009F, except printable characters, tab and line feed. */
const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => code)
  .filter((code) => (code < 0x20 || code > 0x7e) && code !== 0x09 && code !== 0x0a)
  .map((code) => String.fromCodePoint(code));
/** Sequences that clear the screen, set the title, fill the clipboard, and move the cursor, in both spellings. */
const SEQUENCES = [
  "\u001b[2J",
  "\u009b2J",
  "\u001b]0;t\u0007",
  "\u001b]52;c;eA==\u0007",
  "\u001b[9A",
];
const TEXT = ["a", ...CONTROLS, ...SEQUENCES, "ü"].join("b");

const entry: LogEntry = { at: 0, level: "info", message: TEXT, fields: { [TEXT]: TEXT } };

function ofWorker(format: "json" | "pretty"): string {
  let written = "";
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => ((written += chunk), done()),
  });
  openWorkerLog(format, stream).write("info", TEXT, { jobId: TEXT, other: TEXT });
  return written;
}

describe("a text of others contains no character that controls a terminal", () => {
  it.each<readonly [where: string, text: () => string]>([
    ["a line of the log as JSON", () => jsonLine(entry)],
    ["its fields as JSON", () => fieldsInJson(entry.fields)],
    ["a line of the log for people", () => prettyLine(entry, { colors: false, stacks: true })],
    ["the same in colours", () => prettyLine(entry, { colors: true, stacks: true })],
    ["a worker's own log as JSON", () => ofWorker("json")],
    ["a worker's own log for people", () => ofWorker("pretty")],
    ["a payload of a command", () => payloadText({ [TEXT]: TEXT })],
    ["a text of a command", () => plain(TEXT)],
    ["a line of a build", () => shortened(TEXT, 10_000)],
  ])("in %s", (_, text) => {
    // oxlint-disable-next-line no-control-regex
    const withoutColours = text().replaceAll(/\u001b\[[\d;:]*m/gu, "");
    expect(CONTROLS.filter((each) => withoutColours.includes(each))).toEqual([]);
    expect(withoutColours).toContain("ü");
  });

  it("colours stay in a coloured output, and no other part of a sequence", () => {
    const text = "\u001b[31mred\u001b[0m\u001b[2J and\u001b[1;38:5:9m more\u009b0m";
    expect(printable(text, true)).toBe("\u001b[31mred\u001b[0m and\u001b[1;38:5:9m more");
    expect(printable(text, false)).toBe("red and more");
  });

  it("JSON keeps its meaning", () => {
    const value = { [TEXT]: [TEXT, "\\u0080", "\u0080\\"] };
    expect(JSON.parse(printableJson(JSON.stringify(value)))).toEqual(value);
  });
});
