/** Data of a job's page: stages, transitions, text of a stream, and the clipboard. */
import { describe, expect, test } from "vitest";
import { JOB_STATUSES } from "../../../../runtime/protocol/job-status.ts";
import { joinedText } from "../../../../emulator/dashboard/pages/job/chunk-text.ts";
import { FORMS } from "../../../../emulator/dashboard/pages/job/copy-as.ts";
import { stagesOf } from "../../../../emulator/dashboard/pages/job/stages.ts";
import { PLACES, WAYS } from "../../../../emulator/dashboard/pages/job/state-diagram.ts";
import { readRawJson } from "../../../../emulator/dashboard/json/raw-json.ts";
import type { Attempt } from "../../../../runtime/protocol/generated/answers.ts";

const at = (second: number) => new Date(1_700_000_000_000 + second * 1_000).toISOString();

describe("the stages of an attempt", () => {
  const lengths = (attempt: Partial<Attempt>, now = 0) =>
    stagesOf(
      { number: 1, outcome: "completed", queuedAt: at(0), startedAt: at(10), ...attempt },
      Date.parse(at(now)),
    ).map(({ name, fromMs, toMs }) => [name, (toMs - fromMs) / 1_000]);

  test("include the start of a worker that was started for it", () => {
    const attempt = {
      workerStartedAt: at(1),
      pulledAt: at(4),
      bootedAt: at(5),
      readyAt: at(9),
      endedAt: at(12),
    };
    expect(lengths(attempt)).toEqual([
      ["queue", 1],
      ["pull", 3],
      ["boot", 1],
      ["setup", 4],
      ["start", 1],
      ["run", 2],
    ]);
  });

  test("omit the start of an existing worker, and the part of a start before the job came", () => {
    expect(lengths({ endedAt: at(11) })).toEqual([
      ["queue", 10],
      ["run", 1],
    ]);
    const early = { workerStartedAt: at(-5), pulledAt: at(-4), bootedAt: at(2), readyAt: at(10) };
    expect(lengths({ ...early, endedAt: at(11) })).toEqual([
      ["boot", 2],
      ["setup", 8],
      ["run", 1],
    ]);
  });

  test("continue while it runs", () => {
    expect(lengths({ outcome: "running" }, 25)).toEqual([
      ["queue", 10],
      ["run", 15],
    ]);
    expect(lengths({ outcome: "running" }, 3)).toEqual([
      ["queue", 10],
      ["run", 0],
    ]);
  });
});

test("the lines between states match the transition table, and every state has a position", () => {
  expect(Object.keys(PLACES).toSorted()).toEqual([...JOB_STATUSES].toSorted());
  const retry = WAYS.find(({ from, to }) => from === "FAILED" && to === "IN_QUEUE");
  expect(retry?.events).toEqual(["retry"]);
  expect(WAYS.filter(({ from }) => from === "IN_PROGRESS").map(({ to }) => to)).toEqual(
    expect.arrayContaining(["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED", "IN_QUEUE"]),
  );
  expect(WAYS.some(({ from, to }) => from === to)).toBe(false);
});

test("a stream of texts, or of objects with a piece of text, is one text", () => {
  const chunks = (...json: string[]) => json.map((each, index) => ({ index, json: each }));
  expect(joinedText(chunks('"a"', '{"token":" b"}', '{"delta":"c","n":1}'))).toBe("a bc");
  expect(joinedText(chunks('"a"', "1"))).toBeUndefined();
  expect(joinedText(chunks('{"token":"a","text":"b"}'))).toBeUndefined();
});

describe("a copied job", () => {
  const node = (json: string) => readRawJson(json) ?? { kind: "literal", text: "null" };
  const job = {
    endpointId: "it's",
    input: node(`{"say":"it's $HOME","n":9007199254740993}`),
    output: node('{"ok":1.0}'),
    base: "https://box.test/emu/",
  };

  test("is a curl command that any shell accepts, without a key", () => {
    expect(FORMS.curl(job)).toBe(
      `curl -s 'https://box.test/emu/v2/it'\\''s/runsync' -H "Authorization: Bearer $SV_API_KEY" ` +
        `-d '{"input":{"say":"it'\\''s $HOME","n":9007199254740993}}'`,
    );
  });

  test("is a program for the client of this package", () => {
    const text = FORMS.TypeScript(job);
    expect(text).toContain('createClient({ baseUrl: "https://box.test/emu" })');
    expect(text).toContain('.endpoint("it\'s").runSync({');
  });

  test("is a test that expects the same output, if there was one", () => {
    expect(FORMS["vitest case"](job)).toContain('expect(output).toEqual({\n    "ok": 1.0\n  });');
    expect(FORMS["vitest case"]({ ...job, output: undefined })).toContain("toBeDefined()");
  });
});
