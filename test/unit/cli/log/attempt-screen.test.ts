/** Finished jobs in a terminal: whole screens, for single jobs and groups. */
import { describe, expect, test } from "vitest";
import type { AttemptEnd } from "../../../../emulator/core/observe/log/attempt-end.ts";
import {
  AttemptScreen,
  type AttemptScreenOptions,
} from "../../../../emulator/cli/log/attempt-screen.ts";

/** A time without a time zone. */
const AT = new Date(2026, 0, 2, 3, 4, 5, 0).getTime();
const good: AttemptEnd = {
  jobId: "01a1fa78-3741-7e3d-9b8d-1f14844a6dd2-e1",
  endpointId: "greeter",
  outcome: "completed",
  isTriedAgain: false,
  attempt: 1,
  durationMs: 12,
  failure: undefined,
};
const STACK = [
  "TypeError: no such plan: bad",
  "    at parse (/home/me/greeter/handler.ts:4:29)",
  "    at greet (/home/me/greeter/handler.ts:9:22)",
  "    at invoke (/x/dist/runtime/handler/handler-process.cjs:2765:36)",
].join("\n");
const bad: AttemptEnd = {
  ...good,
  outcome: "failed",
  failure: { type: "handler_error", message: "no such plan: bad", stack: STACK },
};

/** The screen after each end, and output due at the times without an end. */
class Terminal {
  readonly #screen: AttemptScreen;
  text = "\n";

  constructor(options: Partial<AttemptScreenOptions> = {}) {
    this.#screen = new AttemptScreen({
      colors: false,
      stacks: false,
      isWhole: true,
      columns: () => 100,
      cwd: "/home/me",
      ...options,
    });
  }

  ended(end: Partial<AttemptEnd> & Pick<AttemptEnd, "outcome">, atMs = 0, times = 1): this {
    const whole = { ...good, ...end };
    for (let time = 0; time < times; time++) this.text += this.#screen.ended(whole, AT + atMs);
    return this;
  }

  /** Acts as the timer: calls at each moment that the screen names, up to `atMs`. */
  pass(atMs: number): this {
    for (let at = this.dueAt; at !== undefined && at <= atMs; at = this.dueAt)
      this.text += this.#screen.due(AT + at);
    return this;
  }

  close(atMs: number): this {
    this.text += this.#screen.due(AT + atMs, true);
    return this;
  }

  get dueAt(): number | undefined {
    return this.#screen.dueAt === undefined ? undefined : this.#screen.dueAt - AT;
  }
}

test("each job is one line, with the user's own frames below a failure", () => {
  const again = { ...good, isTriedAgain: true };
  const lost = { type: "worker_lost", message: "Its worker ended." } as const;
  const terminal = new Terminal()
    .ended(good)
    .ended(bad, 40)
    .ended({ ...again, outcome: "lost", failure: lost, durationMs: 1_540 }, 2_000)
    .ended({ ...good, attempt: 2, durationMs: 61_000 }, 2_100)
    .ended({ ...again, outcome: "handed_back", attempt: 3 }, 2_200)
    .ended({ ...good, outcome: "cancelled", attempt: 0, durationMs: undefined }, 2_300)
    .ended({ ...good, outcome: "expired" }, 2_400)
    .close(2_500);
  expect(terminal.text).toBe(`
03:04:05.000 ✓ greeter …f14844a6dd2-e1 completed after 12 ms
03:04:05.040 ✗ greeter …f14844a6dd2-e1 failed after 12 ms: TypeError: no such plan: bad
    at parse (greeter/handler.ts:4:29)
    at greet (greeter/handler.ts:9:22)
03:04:07.000 ↻ greeter …f14844a6dd2-e1 attempt 1 lost its worker after 1.5 s, is tried again: worker_lost: Its worker ended.
03:04:07.100 ✓ greeter …f14844a6dd2-e1 attempt 2 completed after 1 min 1 s
03:04:07.200 ↻ greeter …f14844a6dd2-e1 attempt 3 handed back unharmed after 12 ms, is tried again
03:04:07.300 - greeter …f14844a6dd2-e1 cancelled
03:04:07.400 ✗ greeter …f14844a6dd2-e1 expired after 12 ms
`);
});

describe("a repeated failure", () => {
  test("is shown once, then counted at growing intervals", () => {
    const terminal = new Terminal();
    for (let at = 0; at < 20_000; at += 10) terminal.pass(at).ended(bad, at);
    terminal.close(20_000);
    expect(terminal.text).toBe(`
03:04:05.000 ✗ greeter …f14844a6dd2-e1 failed after 12 ms: TypeError: no such plan: bad
    at parse (greeter/handler.ts:4:29)
    at greet (greeter/handler.ts:9:22)
03:04:06.000 ✗ greeter … and 99 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
03:04:07.000 ✗ greeter … and 199 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
03:04:09.000 ✗ greeter … and 399 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
03:04:13.000 ✗ greeter … and 799 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
03:04:21.000 ✗ greeter … and 1,599 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
03:04:25.000 ✗ greeter … and 1,999 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
`);
  });

  test("is reported at once if it is rare, and shown in full again after a minute", () => {
    const terminal = new Terminal().ended(bad).ended(bad, 8_000).ended(bad, 16_000);
    expect(terminal.dueAt).toBeUndefined();
    terminal.ended(bad, 76_000);
    expect(terminal.text.match(/like it|at parse/g)).toEqual([
      "at parse",
      "like it",
      "like it",
      "at parse",
    ]);
  });

  test("at each attempt of a job has its own line", () => {
    const { text } = new Terminal()
      .ended({ ...bad, isTriedAgain: true })
      .ended({ ...bad, isTriedAgain: true, attempt: 2 }, 100)
      .ended({ ...bad, isTriedAgain: true }, 200)
      .pass(1_000);
    expect(text).toBe(`
03:04:05.000 ↻ greeter …f14844a6dd2-e1 attempt 1 failed after 12 ms, is tried again: TypeError: no such plan: bad
03:04:05.100 ↻ greeter …f14844a6dd2-e1 attempt 2 failed after 12 ms, is tried again: TypeError: no such plan: bad
03:04:06.000 ↻ greeter … and 1 like it, last …f14844a6dd2-e1: TypeError: no such plan: bad
`);
  });

  test.each<[string, AttemptEnd]>([
    ["of another endpoint", { ...bad, endpointId: "tokens" }],
    ["with another message", { ...bad, failure: { type: "handler_error", message: "other" } }],
    ["of another kind", { ...bad, failure: { type: "worker_lost", message: "no such plan: bad" } }],
    [
      "at another place",
      {
        ...bad,
        failure: {
          type: "handler_error",
          message: "no such plan: bad",
          stack: STACK.replace("4:29", "5:1"),
        },
      },
    ],
  ])("is not one %s", (_, other) => {
    const { text } = new Terminal().ended(bad).ended(other).close(1_000);
    expect(text).not.toContain("like it");
    expect(text.match(/ ✗ /g)).toHaveLength(2);
  });
});

test("ten different failures a second are shown, and the others counted", () => {
  const terminal = new Terminal();
  for (let nr = 0; nr < 300; nr++)
    terminal.ended({ ...bad, failure: { type: "handler_error", message: `nr ${nr}` } }, nr);
  terminal.pass(1_000);
  const lines = terminal.text.trim().split("\n");
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe(
    "03:04:06.000 ✗ greeter 290 more jobs failed, the last …f14844a6dd2-e1: handler_error: nr 299",
  );
  expect(terminal.dueAt).toBeUndefined();
});

test("completed jobs under load make one line a second for each endpoint", () => {
  const terminal = new Terminal();
  for (let at = 0; at < 3_000; at += 5) {
    terminal.pass(at).ended({ ...good, durationMs: at % 10 === 0 ? 3 : 4 }, at);
    if (at < 1_500) terminal.ended({ ...good, endpointId: "tokens", durationMs: 12_345 }, at);
  }
  terminal.pass(4_000).ended(good, 60_000);
  expect(terminal.text).toBe(
    `
03:04:05.000 ✓ greeter …f14844a6dd2-e1 completed after 12 ms
`.replace("12 ms", "3 ms") +
      `03:04:05.000 ✓ tokens …f14844a6dd2-e1 completed after 12.3 s
03:04:05.005 ✓ greeter …f14844a6dd2-e1 completed after 4 ms
03:04:05.005 ✓ tokens …f14844a6dd2-e1 completed after 12.3 s
03:04:05.010 ✓ greeter …f14844a6dd2-e1 completed after 3 ms
03:04:06.000 ✓ tokens 198 more jobs completed, p50 12.0 s
03:04:06.000 ✓ greeter 197 more jobs completed, p50 4 ms
03:04:07.000 ✓ greeter 200 jobs completed, p50 3 ms
03:04:07.000 ✓ tokens 100 jobs completed, p50 12.0 s
03:04:08.000 ✓ greeter 200 jobs completed, p50 3 ms
03:05:05.000 ✓ greeter …f14844a6dd2-e1 completed after 12 ms
`,
  );
});

test("jobs of many endpoints make five lines at most", () => {
  const terminal = new Terminal();
  for (let nr = 0; nr < 1_000; nr++)
    terminal.ended({ ...good, endpointId: `e${Math.min(nr % 60, nr % 7)}` });
  terminal.pass(1_000);
  const lines = terminal.text.trim().split("\n");
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toMatch(
    /^03:04:06\.000 ✓ e\d .* jobs completed there and in 2 other endpoints, p50 12 ms$/,
  );
});

test("hundreds of cancelled and purged jobs make one line for each kind", () => {
  const unstarted = { ...good, attempt: 0, durationMs: undefined };
  const { text } = new Terminal()
    .ended(good, 0, 5)
    .ended({ ...unstarted, outcome: "cancelled" }, 1, 300)
    .ended({ ...unstarted, outcome: "purged" }, 2, 1)
    .pass(1_000);
  expect(text.trim().split("\n").slice(5)).toEqual([
    "03:04:06.000 - greeter 300 more jobs cancelled",
    "03:04:06.000 - greeter 1 more job purged",
  ]);
});

test("without a terminal only failures are shown", () => {
  const terminal = new Terminal({ isWhole: false }).ended(good, 0, 100).ended(bad).close(1_000);
  expect(terminal.text.match(/greeter/g)).toHaveLength(3);
  expect(terminal.text).not.toContain("✓");
});

test("lines fit the width of the terminal, except messages, which are not cut", () => {
  const message = `${"word ".repeat(30)}end`;
  const stack = `Error: x\n    at parse (/${"folder/".repeat(12)}greeter/handler.ts:4:29)`;
  const failure = { type: "handler_error", message: `${message}\nsecond line`, stack } as const;
  const terminal = new Terminal({ columns: () => 60 })
    .ended({ ...bad, failure })
    .ended({ ...bad, failure }, 1_000)
    .ended({ ...good, endpointId: "an-endpoint-with-a-name-of-some-length" });
  const [head = "", second, frame, repeat, calm] = terminal.text.trim().split("\n");
  expect(head.endsWith("word end")).toBe(true);
  expect(second).toBe("    second line");
  expect(frame).toHaveLength(60);
  expect(frame).toMatch(/^ {4}at parse \(….*greeter\/handler\.ts:4:29\)$/);
  for (const line of [repeat, calm]) {
    expect(line).toHaveLength(60);
    expect(line).toMatch(/…$/);
  }
});

test("colours are dim and red, and a foreign message moves no cursor", () => {
  const failure = { type: "handler_error", message: "\u001b[2J\u001b[31mred\rgone" } as const;
  const { text } = new Terminal({ colors: true }).ended(good).ended({ ...bad, failure }, 0);
  expect(text).toContain("\u001b[2m✓ greeter …f14844a6dd2-e1 completed after 12 ms\u001b[22m");
  expect(text).toContain(
    "\u001b[31m✗ greeter …f14844a6dd2-e1 failed after 12 ms: handler_error: redgone\u001b[39m",
  );
  expect(text).not.toContain("\u001b[2J");
});

test("memory is bounded: the oldest of a hundred kinds of failures is forgotten", () => {
  const terminal = new Terminal();
  for (let nr = 0; nr <= 100; nr++) {
    const failure = { type: "handler_error", message: `nr ${nr}` } as const;
    terminal.ended({ ...bad, failure }, nr * 200, nr === 0 ? 2 : 1);
  }
  expect(terminal.text).toContain("… and 1 like it, last …f14844a6dd2-e1: handler_error: nr 0");
  const before = terminal.text.length;
  terminal.ended({ ...bad, failure: { type: "handler_error", message: "nr 0" } }, 21_000);
  expect(terminal.text.slice(before)).toContain("failed after 12 ms: handler_error: nr 0");
});
