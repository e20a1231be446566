/** Output of `sv-emulate build`: bars in a terminal only, lines elsewhere, sizes at the end. */
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { openBuildView } from "../../../emulator/cli/build/view/build-view.ts";
import { seconds, shortened, size } from "../../../emulator/cli/build/view/quantities.ts";

const BASE = {
  name: "sv-base:1",
  beneath: "node:24",
  sizeBytes: 149_000_000,
  addedBytes: 14_500_000,
  tookMs: undefined,
};
const IMAGE = {
  ...BASE,
  name: "greet:latest",
  beneath: "sv-base:1",
  addedBytes: 401,
  tookMs: 1_640,
};
const STEP = { kind: "step", at: 2, of: 4, what: `RUN ${"long ".repeat(40)}` } as const;
const BYTES = { kind: "bytes", what: "context", doneBytes: 30e6, totalBytes: 40e6 } as const;

const ESCAPE = "\u001B";
/** Characters that return to the beginning of a line, or start the next one. */
const LINE_START = new RegExp(`${ESCAPE}\\[1G|\n`, "u");
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`, "u");

/** A stream that records its input. */
function screen({ columns }: { columns?: number } = {}) {
  let text = "";
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      text += piece.toString();
      done();
    },
  });
  const tty = columns === undefined ? {} : { isTTY: true, columns };
  return { stream: Object.assign(stream, tty) as NodeJS.WriteStream, text: () => text };
}

function show(to: NodeJS.WriteStream, options: { colors: boolean; isDumb?: boolean }): void {
  const view = openBuildView({ stream: to, isDumb: false, ...options });
  view.begins("base");
  view.ends("base", BASE);
  view.begins("image");
  view.progress(BYTES);
  view.progress(STEP);
  view.progress({ kind: "output", line: "Unpacking" });
  view.ends("image", IMAGE);
  view.close();
  view.sumUp();
}

const SUMMARY = `image           size    added   time
sv-base:1     149 MB  14.5 MB      –  on node:24
greet:latest  149 MB    401 B  1.6 s  on sv-base:1
`;

test("a file gets a line for each step, without sequences that move a cursor", () => {
  const { stream, text } = screen();
  show(stream, { colors: false });
  expect(text()).toBe(`base sv-base:1 is there
  30.0 MB of 40.0 MB: files sent to the engine
  Step 2/4 : ${shortened(STEP.what, 85)}
image greet:latest built in 1.6 s
${SUMMARY}`);
});

test("a terminal gets bars that disappear at the end and fit its width, and gets its cursor back", () => {
  const { stream, text } = screen({ columns: 70 });
  show(stream, { colors: true });
  const drawn = text().split(LINE_START).map(stripVTControlCharacters);
  expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(70);
  expect(drawn).toContainEqual(
    expect.stringMatching(/^image ━{6}─{18} {2}0\.0 s {2}step 2 of 4 {2}RUN /u),
  );
  expect(text()).toContain("\u001B[36m");
  expect(text().lastIndexOf("\u001B[?25h")).toBeGreaterThan(text().lastIndexOf("\u001B[?25l"));
  expect(text()).toContain(SUMMARY);
});

test("the view uses no colours if they are off, and plain lines for a dumb terminal", () => {
  const plain = screen({ columns: 70 });
  show(plain.stream, { colors: false });
  expect(plain.text()).not.toMatch(COLOUR);
  expect(plain.text()).toContain("━");
  const dumb = screen({ columns: 70 });
  show(dumb.stream, { colors: false, isDumb: true });
  expect(dumb.text()).toContain("  Step 2/4 : RUN");
  expect(dumb.text()).not.toContain("\u001B");
});

test("a build that fails leaves no bar behind", () => {
  const { stream, text } = screen({ columns: 70 });
  const view = openBuildView({ stream, colors: false, isDumb: false });
  view.begins("base");
  view.progress(STEP);
  view.close();
  view.close();
  expect(text().endsWith("\u001B[2K")).toBe(true);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [3_421, "3.42 kB"],
  [99_960, "100 kB"],
  [14_480_000, "14.5 MB"],
  [142_000_000, "142 MB"],
  [8_230_000_000, "8.23 GB"],
  [1_230_000_000_000, "1230 GB"],
])("%i bytes are %j", (bytes, text) => {
  expect(size(bytes)).toBe(text);
});

test("times have tenths of a second, and a long instruction is shortened to one line", () => {
  expect(seconds(12_345)).toBe("12.3 s");
  expect(shortened("RUN a \\\n   && \u001B[31mb\u001B[0m", 99)).toBe("RUN a \\ && b");
  expect(shortened("abcdef", 4)).toBe("abc…");
});
