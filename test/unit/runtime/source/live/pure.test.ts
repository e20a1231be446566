/** The live source's pure functions: they read its environment and jobs, and make addresses and bodies. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { valueEnd } from "../../../../../runtime/core/json-scan.ts";
import type { JsonPart } from "../../../../../runtime/core/split-text.ts";
import { splitJson } from "../../core/split-arbitrary.ts";
import { LiveAddresses } from "../../../../../runtime/source/live/addresses.ts";
import { progressBody, resultBody } from "../../../../../runtime/source/live/result-body.ts";
import {
  isLiveEnvironment,
  readLiveSettings,
} from "../../../../../runtime/source/live/settings.ts";
import { readTakenJobs } from "../../../../../runtime/source/live/taken-jobs.ts";
import { WholeYields } from "../../../../../runtime/source/live/whole-yields.ts";

const base = "https://queue/v2/ep";
const environment = {
  RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?gpu=L4`,
  RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?gpu=L4`,
  RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?gpu=L4`,
  RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID`,
  RUNPOD_POD_ID: "pod-1",
};

describe("the environment", () => {
  test("is a live environment if it has an address to take jobs from", () => {
    expect(isLiveEnvironment(environment)).toBe(true);
    expect(isLiveEnvironment({ RUNPOD_WEBHOOK_GET_JOB: "" })).toBe(false);
    expect(isLiveEnvironment({})).toBe(false);
  });

  test("names the worker; missing settings get defaults", () => {
    expect(readLiveSettings({ ...environment, RUNPOD_ENDPOINT_ID: "ep" })).toMatchObject({
      workerId: "pod-1",
      endpointId: "ep",
      key: undefined,
      pingIntervalMs: 10_000,
      executionTimeoutMs: 604_800_000,
    });
    const nameless = readLiveSettings({ ...environment, RUNPOD_POD_ID: "" });
    expect(nameless.workerId).toMatch(/^[\da-f-]{36}$/u);
    expect(nameless.addresses.take(1, false)).toContain(`/job-take/${nameless.workerId}?`);
  });

  test("its times are used as given, but the ping interval is at least 1 s", () => {
    const read = (ms: string) =>
      readLiveSettings({ ...environment, RUNPOD_PING_INTERVAL: ms }).pingIntervalMs;
    expect([read("5000"), read("999"), read("0")]).toEqual([5_000, 1_000, 1_000]);
    const env = { ...environment, SV_EXECUTION_TIMEOUT_MS: "3600000" };
    expect(readLiveSettings(env).executionTimeoutMs).toBe(3_600_000);
  });

  test("without a chunk address, one is derived from the result address", () => {
    const env = { ...environment, RUNPOD_WEBHOOK_POST_STREAM: "" };
    expect(readLiveSettings(env).addresses.stream("j")).toBe(
      `${base}/job-stream/pod-1/j?gpu=L4&isStream=false`,
    );
  });

  test("is refused with one sentence for each missing or invalid value", () => {
    const env = {
      RUNPOD_WEBHOOK_GET_JOB: "queue/job-take",
      RUNPOD_WEBHOOK_PING: "ftp://queue",
      RUNPOD_PING_INTERVAL: "soon",
      SV_EXECUTION_TIMEOUT_MS: "0",
    };
    expect(() => readLiveSettings(env)).toThrow(
      [
        'RUNPOD_WEBHOOK_GET_JOB must be an address that begins with http:// or https://, not "queue/job-take".',
        "RUNPOD_WEBHOOK_POST_OUTPUT must be set where RUNPOD_WEBHOOK_GET_JOB is.",
        "RUNPOD_WEBHOOK_POST_STREAM must be set where RUNPOD_WEBHOOK_GET_JOB is.",
        'RUNPOD_WEBHOOK_PING must be an address that begins with http:// or https://, not "ftp://queue".',
        'RUNPOD_PING_INTERVAL must be a whole number of milliseconds up to 604800000, not "soon".',
        "SV_EXECUTION_TIMEOUT_MS must be at least 1.",
      ].join("\n"),
    );
  });
});

describe("addresses", () => {
  const templates = {
    workerId: "a/b",
    gpuTypeId: "NVIDIA L4",
    take: `${base}/job-take/$ID?gpu=$RUNPOD_GPU_TYPE_ID`,
    done: `${base}/job-done/$RUNPOD_POD_ID/$ID?`,
    stream: `${base}/job-stream/$RUNPOD_POD_ID/$ID`,
    ping: `${base}/ping/$RUNPOD_POD_ID?a=b&`,
  };

  test("$ID is the worker id in take addresses and the job id in report addresses", () => {
    const addresses = new LiveAddresses(templates);
    expect(addresses.take(1, false)).toBe(
      `${base}/job-take/a%2Fb?gpu=NVIDIA%20L4&job_in_progress=0`,
    );
    expect(addresses.take(3, true)).toBe(
      `${base}/job-take-batch/a%2Fb?gpu=NVIDIA%20L4&batch_size=3&job_in_progress=1`,
    );
    expect(addresses.stop).toBe(`${base}/job-stop/a%2Fb?gpu=NVIDIA%20L4`);
    expect(addresses.done("$& j", true)).toBe(`${base}/job-done/a%2Fb/%24%26%20j?isStream=true`);
    expect(addresses.stream("j")).toBe(`${base}/job-stream/a%2Fb/j?isStream=false`);
    expect(addresses.ping({ job_id: "j,k", status: undefined })).toBe(
      `${base}/ping/a%2Fb?a=b&job_id=j%2Ck`,
    );
  });

  test("a take address without /job-take/ supports neither batches nor stops", () => {
    const addresses = new LiveAddresses({ ...templates, take: `${base}/next/$RUNPOD_POD_ID` });
    expect(addresses.hasBatches).toBe(false);
    expect(addresses.take(5, false)).toBe(`${base}/next/a%2Fb?job_in_progress=0`);
    expect(addresses.stop).toBeUndefined();
    expect(new LiveAddresses({ ...templates, ping: undefined }).ping({})).toBeUndefined();
  });
});

describe("jobs that were taken", () => {
  const read = (body: unknown, type = "application/json") =>
    readTakenJobs(type, Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

  test("one job is an object, several jobs are a list", () => {
    const job = { id: "j-1", input: { n: 1 }, webhook: "ignored", batchId: 4 };
    const taken = { jobId: "j-1", input: Buffer.from('{"n":1}') };
    expect(read(job)).toEqual({ jobs: [taken], problems: [] });
    expect(read([job, { ...job, id: "j-2" }], "application/json; charset=utf-8").jobs).toEqual([
      taken,
      { ...taken, jobId: "j-2" },
    ]);
    expect(read([])).toEqual({ jobs: [], problems: [] });
  });

  test("a missing input is read as {}; limits and S3 settings are kept", () => {
    const s3Config = { bucketName: "b" };
    const job = { id: "j", s3Config, policy: { executionTimeout: 7_000.5 }, executionTimeout: 1 };
    expect(read(job).jobs).toEqual([
      {
        jobId: "j",
        input: Buffer.from("{}"),
        s3Config: Buffer.from(JSON.stringify(s3Config)),
        executionTimeoutMs: 7_000,
      },
    ]);
    const limit = (executionTimeout: unknown) =>
      read({ id: "j", executionTimeout }).jobs[0]?.executionTimeoutMs;
    expect([limit(9), limit("9"), limit(-1), limit(1e15)]).toEqual([
      9,
      undefined,
      undefined,
      604_800_000,
    ]);
  });

  test.each([
    ["", "application/json"],
    ['{"id":"j"}', "text/html"],
    ['{"id":"j"}', undefined],
  ])("%j as %s contains no jobs", (body, type) => {
    expect(readTakenJobs(type, Buffer.from(body))).toEqual({ jobs: [], problems: [] });
  });

  test.each([
    ["<html>", /^the queue's answer is no JSON: /u],
    ['[{"input":{}}]', /^the queue gave a job without an id: \{"input":\{\}\}$/u],
    ['{"id":7}', /^the queue gave a job without an id: /u],
    ["[null]", /^the queue gave a job that is no object: null$/u],
  ])("%j is reported and skipped", (body, says) => {
    expect(read(body)).toEqual({ jobs: [], problems: [expect.stringMatching(says)] });
  });

  test("any JSON answer is parsed, and every non-job is reported", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { jobs, problems } = read(text);
        const answer = JSON.parse(text) as unknown;
        expect(jobs.length + problems.length).toBe(Array.isArray(answer) ? answer.length : 1);
      }),
    );
  });
});

/** Lines of the chunks that carry these parts, as handler processes write them. */
function linesOf(parts: readonly JsonPart[]): Buffer[] {
  return parts.map(({ json, continues }, part) => {
    const split = { part, continues, last: part === parts.length - 1 };
    const metrics = { stream_index: part, output_tokens: 1, split };
    return Buffer.from(`{"output":${json},"metrics":${JSON.stringify(metrics)}}`);
  });
}

describe("posted bodies", () => {
  const reporter = { workerId: "w", hostname: "h", version: "sv-runtime/1" };
  const failure = { type: "handler_error", message: "no", stack: "Error: no\n at x" } as const;
  const posted = (...args: Parameters<typeof resultBody>) => resultBody(...args)?.toString();

  test("outputs and progress are posted byte for byte; a missing output is null or an empty list", () => {
    const output = Buffer.from('{"big":12345678901234567890,"é":1.0}');
    expect(posted({ kind: "completed", output }, false, reporter)).toBe(
      `{"output":${output.toString()}}`,
    );
    expect(posted({ kind: "completed" }, false, reporter)).toBe('{"output":null}');
    expect(posted({ kind: "completed" }, true, reporter)).toBe('{"output":[]}');
    expect(progressBody(Buffer.from("1.50")).toString()).toBe(
      '{"status":"IN_PROGRESS","output":1.50}',
    );
  });

  test.each([
    [{ error: "no face", n: 1 }, '{"output":{"n":1},"error":"no face"}'],
    [{ error: { code: 4 } }, '{"error":{"code":4}}'],
    [{ n: 1, refresh_worker: true }, '{"output":{"n":1},"stopPod":true}'],
    [{ error: "", refresh_worker: 0 }, "{}"],
    [{ inside: { error: 1 } }, '{"output":{"inside":{"error":1}}}'],
  ])("an output of %j is posted as the SDK posts it", (output, body) => {
    const json = Buffer.from(JSON.stringify(output));
    expect(posted({ kind: "completed", output: json }, false, reporter)).toBe(body);
  });

  test.each(["failed", "timed-out", "lost"] as const)(
    "%s is an error in the SDK's shape",
    (kind) => {
      const body = JSON.parse(posted({ kind, failure }, false, reporter) ?? "") as {
        error: string;
      };
      expect(JSON.parse(body.error)).toEqual({
        error_type: "handler_error",
        error_message: "no",
        error_traceback: "Error: no\n at x",
        hostname: "h",
        worker_id: "w",
        runpod_version: "sv-runtime/1",
      });
    },
  );

  test("a failed job's output is kept; the error of an ended process includes its last log lines", () => {
    const lost = { type: "process_exited", message: "gone", lastLogLines: ["a", "b"] } as const;
    const output = Buffer.from("[1]");
    const body = posted({ kind: "failed", failure: lost, output }, false, reporter) ?? "";
    expect(JSON.parse(body)).toEqual({ output: [1], error: expect.stringContaining('"a\\nb"') });
  });

  test("no result is posted for a job that is handed back or stopped", () => {
    expect(resultBody({ kind: "handed-back" }, false, reporter)).toBeUndefined();
    expect(resultBody({ kind: "stopped" }, true, reporter)).toBeUndefined();
  });

  test("only the output of a chunk is posted", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (output, extra) => {
        const metrics = { stream_index: 3, metrics: extra, all: { split: { part: 0 } } };
        const line = Buffer.from(JSON.stringify({ output, metrics }));
        const { whole, parts } = new WholeYields().add(line) ?? {};
        expect([whole?.toString(), parts]).toEqual([JSON.stringify({ output }), []]);
      }),
    );
  });

  test("a split yield is reassembled when its last part arrives", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(40), (value, more) => {
        const output = [value, "é".repeat(200), { split: "\ud83d\ude00".repeat(30) }];
        const parts = splitJson(output, 100 + Buffer.byteLength(JSON.stringify(value)) + more);
        const lines = linesOf(parts);
        const yields = new WholeYields();
        for (const line of lines.slice(0, -1)) expect(yields.add(line)).toBeUndefined();
        const said = yields.add(lines.at(-1) ?? Buffer.alloc(0));
        expect(said?.whole?.toString()).toBe(JSON.stringify({ output }));
        expect(said?.parts.map(String)).toEqual(parts.map(({ json }) => `{"output":${json}}`));
        expect(yields.add(Buffer.from('{"output":1,"metrics":{}}'))?.parts).toEqual([]);
      }),
    );
  });

  test("an oversized yield is sent in parts; the next yield is sent whole", () => {
    const lines = linesOf(splitJson("x".repeat(1_000), 100));
    const yields = new WholeYields(250);
    const said = lines.map((line) => yields.add(line));
    expect(said.map((bodies) => bodies?.parts.length ?? 0)).toEqual([0, 0, 3, ...Array(8).fill(1)]);
    expect(said.every((bodies) => bodies?.whole === undefined)).toBe(true);
    const next = linesOf(splitJson("y".repeat(150), 100)).map((line) => yields.add(line));
    expect(next.at(-1)?.whole?.toString()).toBe(`{"output":"${"y".repeat(150)}"}`);
  });

  test("the end of a JSON value is found from its start, also in truncated text", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const json = JSON.stringify(JSON.parse(text));
        const bytes = Buffer.from(`${json},"more":1`);
        expect(valueEnd(bytes, 0)).toBe(Buffer.byteLength(json));
        expect(valueEnd(Buffer.from(json.slice(0, -1)), 0)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
