/** Submitting jobs over HTTP and asking for them: `/run`, `/runsync`, `/status`, `/health`. */
import { expect, it } from "vitest";
import { startTestHttp } from "./http-harness.ts";

it("answers /run at once with an id and IN_QUEUE", async () => {
  await using service = await startTestHttp();
  const { status, json, headers } = await service.call("POST", "/v2/echo/run", {
    body: { input: { a: 1 } },
  });
  expect(status).toBe(200);
  expect(json).toStrictEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}-e1$/),
    status: "IN_QUEUE",
  });
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
});

it("answers /runsync with the whole job once its worker has finished", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const answer = service.call("POST", "/v2/echo/runsync", {
    body: '{"input": {"n": 12345678901234567890}}',
  });
  const job = await worker.nextJob();
  expect(Buffer.from(job.input).toString()).toBe('{"n": 12345678901234567890}');
  await service.test.clock.advance(40);
  await worker.complete(job, Buffer.from('{"big": 12345678901234567890}'));
  const { status, text } = await answer;
  expect(status).toBe(200);
  expect(text).toBe(
    `{"id":"${job.jobId}","status":"COMPLETED","delayTime":0,"executionTime":40,` +
      `"output":{"big": 12345678901234567890},"workerId":"${worker.worker.id}"}`,
  );
  expect(job.jobId).toMatch(/^sync-/);
});
