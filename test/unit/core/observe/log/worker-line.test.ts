/** Lines of workers in the log: source, job and time. */
import { expect, test } from "vitest";
import { readWorkerLine } from "../../../../../emulator/core/observe/log/worker-line.ts";

const NOW = 5;
const read = (line: string) => readWorkerLine({ endpointId: "e", workerId: "w", line }, NOW);
const worker = { source: "worker", endpointId: "e", workerId: "w" };

test("a line that a handler printed has the source handler, with its job and stream", () => {
  const line = { time: 1, level: "info", msg: "text", jobId: "j", stream: "stderr" };
  expect(read(JSON.stringify(line))).toEqual({
    at: 1,
    level: "info",
    message: "text",
    fields: {},
    origin: { ...worker, source: "handler", jobId: "j", stream: "stderr" },
  });
});

test("an entry that a handler logged keeps its level and fields", () => {
  const line = { time: 1, level: "warn", msg: "hot", stream: "stdout", fields: { degrees: 90 } };
  expect(read(JSON.stringify(line))).toEqual({
    at: 1,
    level: "warn",
    message: "hot",
    fields: { degrees: 90 },
    origin: { ...worker, source: "handler", stream: "stdout" },
  });
});

test("a line of the worker program has the source worker", () => {
  expect(read('{"time":1,"level":"error","msg":"no service","retryInMs":100}')).toEqual({
    at: 1,
    level: "error",
    message: "no service",
    fields: { retryInMs: 100 },
    origin: worker,
  });
});

test.each([
  "plain text",
  "",
  "{",
  "{}",
  "[1]",
  "null",
  '{"msg":"no level"}',
  '{"level":"info"}',
  '{"level":"fatal","msg":"unknown level"}',
  '{"level":"info","msg":5}',
])("any other line (%s) is passed on unchanged", (line) => {
  expect(read(line)).toEqual({ at: NOW, level: "info", message: line, fields: {}, origin: worker });
});

test("an impossible time is not read as one", () => {
  expect(read('{"time":1e300,"level":"info","msg":"m"}').at).toBe(NOW);
});

test("a field with a value of the wrong type is ignored", () => {
  const line = { time: "soon", level: "info", msg: "m", jobId: 5, stream: "stdin", fields: [1] };
  expect(read(JSON.stringify(line))).toEqual({
    at: NOW,
    level: "info",
    message: "m",
    fields: {},
    origin: worker,
  });
});
