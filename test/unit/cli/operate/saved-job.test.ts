/** A job that is saved to a file and run on another emulator. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { startTestHttp } from "../../http/http-harness.ts";
import { json, run, submit } from "./run-command.ts";

/** The sent text, with numbers and spaces that a parser would not keep. */
const INPUT = '{"big":12345678901234567890,"n":1.0, "ü":"\\u00fc"}';

test("a saved job has its endpoint, its limits and its input as sent, and no credentials", async () => {
  await using service = await startTestHttp();
  using directory = temporaryDirectory();
  const file = path.join(directory.path, "job.json");
  const policy = { executionTimeout: 7_000, ttl: 60_000, lowPriority: true };
  const s3Config = { accessSecret: "very secret" };
  const rest = JSON.stringify({ policy, s3Config, webhook: "http://127.0.0.1:9/hook" });
  const { json: answer } = await service.call("POST", "/v2/echo/run", {
    body: `{"input":${INPUT},${rest.slice(1)}`,
  });
  const { id } = answer as { id: string };
  const saved = await run(service, "job", id, { flags: { save: file } });
  expect(saved).toBe(`${id} saved; sv-emulate run --from ${file} runs it again\n`);
  const text = readFileSync(file, "utf8");
  expect(text).toBe(
    `{"endpointId":"echo","policy":{"executionTimeout":7000,"lowPriority":true,"ttl":60000},"input":${INPUT}}\n`,
  );
  await expect(run(service, "job", id, { flags: { save: file } })).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringContaining("already exists"),
  });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a saved job runs on another emulator, on its endpoint or a given one, and is shown at its end", async () => {
  await using here = await startTestHttp();
  await using there = await startTestHttp();
  await there.test.addEndpoint("other");
  using directory = temporaryDirectory();
  const from = path.join(directory.path, "job.json");
  await run(here, "job", await submit(here), { flags: { save: from } });
  const ended = run(there, "run", undefined, { flags: { from } });
  const worker = await there.test.connectWorker();
  await worker.complete(await worker.nextJob(), { sum: 2 });
  expect(await ended).toBe('{"sum":2}\n');
  const failed = run(there, "run", "other", { flags: { ...json, from } });
  const other = await there.test.connectWorker("other");
  const job = await other.nextJob();
  expect(Buffer.from(job.input).toString()).toBe('{"n":1}');
  await other.fail(job);
  await expect(failed).rejects.toMatchObject({
    name: "JobNotCompletedError",
    message: expect.stringMatching(/^the job is FAILED; sv-emulate why \S+ explains it$/u),
  });
});

test("an invalid file is refused before a job runs", async () => {
  await using service = await startTestHttp();
  using directory = temporaryDirectory();
  const from = path.join(directory.path, "job.json");
  const refused = (flags: object, message: string) =>
    expect(run(service, "run", undefined, { flags })).rejects.toThrow(message);
  await refused({}, "run takes an endpoint and an input");
  await refused({ from }, "the job cannot be read");
  writeFileSync(from, '{"input":{}}');
  await refused({ from }, "names no endpoint as its endpointId");
  writeFileSync(from, "{");
  await refused({ from }, "names no endpoint as its endpointId");
  await expect(run(service, "run", "echo", { flags: { from } })).rejects.toThrow("not valid JSON");
});
