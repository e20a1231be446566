/** `run`: a job from the command line, whose output alone is on stdout. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { startTestHttp } from "../../http/http-harness.ts";
import { json, run } from "./run-command.ts";

test("the input is sent as it was written, and the output alone is printed", async () => {
  await using service = await startTestHttp();
  const told: string[] = [];
  const input = '{"big":12345678901234567890,"n":1.0}';
  const tell = (text: string) => void told.push(text);
  const ended = run(service, "run", "echo", { input, tell });
  const worker = await service.test.connectWorker();
  const job = await worker.nextJob();
  expect(Buffer.from(job.input).toString()).toBe(input);
  await worker.complete(job, { sum: 2 });
  expect(await ended).toBe('{"sum":2}\n');
  expect(told.join("")).toMatch(/^\S+ COMPLETED \(waited .*, ran .*\)\n$/u);
});

test.each([
  ["a file", "@", undefined],
  ["standard input", "-", '{"from":"there"}'],
])("the input can come from %s", async (_, place, stdin) => {
  await using service = await startTestHttp();
  using directory = temporaryDirectory();
  const file = path.join(directory.path, "input.json");
  writeFileSync(file, '{"from":"there"}');
  const input = place === "@" ? `@${file}` : place;
  const ended = run(service, "run", "echo", { input, ...(stdin && { stdin }) });
  const worker = await service.test.connectWorker();
  const job = await worker.nextJob();
  expect(Buffer.from(job.input).toString()).toBe('{"from":"there"}');
  await worker.complete(job, "done");
  expect(await ended).toBe('"done"\n');
});

test("chunks are printed as they come, a line each", async () => {
  await using service = await startTestHttp();
  const first = Promise.withResolvers<string>();
  const ended = run(service, "run", "echo", { flags: { stream: true }, out: first.resolve });
  const worker = await service.test.connectWorker();
  const job = await worker.nextJob();
  await worker.chunks(job, [{ text: "a" }]);
  expect(await first.promise).toBe('{"text":"a"}\n');
  await worker.chunks(job, ["b"], 1);
  await worker.complete(job, undefined);
  expect(await ended).toBe('{"text":"a"}\n"b"\n');
});

test("a stream that the service ends with an error is refused with its sentence", async () => {
  await using service = await startTestHttp();
  const first = Promise.withResolvers<string>();
  const ended = run(service, "run", "echo", {
    flags: { stream: true, policy: '{"ttl":10000}' },
    out: first.resolve,
  });
  const worker = await service.test.connectWorker();
  await worker.chunks(await worker.nextJob(), ["a"]);
  await first.promise;
  const refused = ended.catch((error: unknown) => error);
  await service.test.clock.advance(60_000);
  expect(await refused).toMatchObject({
    ...{ name: "RefusedError", message: expect.stringContaining("there is no job") },
  });
});

test("a failed job is told on stderr, with nothing on stdout", async () => {
  await using service = await startTestHttp();
  const told: string[] = [];
  const written: string[] = [];
  const ended = run(service, "run", "echo", {
    flags: { sync: true, policy: '{"executionTimeout":7000}' },
    tell: (text) => void told.push(text),
    out: (text) => void written.push(text),
  });
  const worker = await service.test.connectWorker();
  await worker.fail(await worker.nextJob());
  await expect(ended).rejects.toMatchObject({ name: "JobNotCompletedError" });
  expect(written).toEqual([]);
  expect(told.join("")).toMatch(/^job +sync-\S+\n[^]*limit +7\.0 s[^]*failure/u);
});

test("with --json the whole job is printed", async () => {
  await using service = await startTestHttp();
  const ended = run(service, "run", "echo", { flags: json });
  const worker = await service.test.connectWorker();
  await worker.complete(await worker.nextJob(), 7);
  expect(JSON.parse(await ended)).toMatchObject({ status: "COMPLETED", output: 7, input: {} });
});

test.each([
  [undefined, {}, "run takes an endpoint and an input"],
  ["{name:1}", {}, "the input is no JSON"],
  ["@missing.json", {}, "the input cannot be read"],
  ["{}", { policy: "1m" }, "--policy is no JSON"],
  ["{}", { from: "job.json" }, "run takes an endpoint and an input"],
  [undefined, { from: "job.json", policy: "{}" }, "run takes an endpoint and an input"],
])("the input %s with %o is refused before a job runs", async (input, flags, message) => {
  await using service = await startTestHttp();
  const endpointId = input === undefined ? undefined : "echo";
  const asked = { flags, ...(input !== undefined && { input }) };
  await expect(run(service, "run", endpointId, asked)).rejects.toThrow(message);
});
