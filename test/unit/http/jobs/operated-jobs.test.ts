/** Jobs in the emulator's own operations. */
import { expect, it } from "vitest";
import { startTestHttp } from "../http-harness.ts";

it("the list has the newest jobs of all endpoints, of one, or in one status", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  const first = await service.run();
  const second = await service.run("other");
  const third = await service.run();
  const worker = await service.test.connectWorker();
  await worker.fail(await worker.nextJob());
  const idsOf = async (query: string) => {
    const { json } = await service.call("GET", `/emulator/jobs${query}`);
    return (json as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
  };
  expect(await idsOf("")).toEqual([third, second, first]);
  expect(await idsOf("?limit=1")).toEqual([third]);
  expect(await idsOf("?endpointId=echo")).toEqual([third, first]);
  expect(await idsOf("?status=FAILED")).toEqual([first]);
  const { status } = await service.call("GET", "/emulator/jobs?endpointId=nope");
  expect(status).toBe(404);
});

it("a job is shown in full with its payloads as sent, but without secrets", async () => {
  await using service = await startTestHttp();
  const s3Config = { accessSecret: "very secret" };
  const webhook = "http://127.0.0.1:9/hook";
  const id = await service.run("echo", { input: { n: 1.0 }, s3Config, webhook });
  const worker = await service.test.connectWorker();
  await worker.progress(await worker.nextJob(), "half");
  const { json, text } = await service.call("GET", `/emulator/jobs/${id}`);
  expect(json).toMatchObject({
    id,
    endpointId: "echo",
    status: "IN_PROGRESS",
    kind: "async",
    attempt: 1,
    webhook,
    input: { n: 1 },
    output: "half",
  });
  expect(text).not.toContain("very secret");
  const brief = await service.call("GET", `/emulator/jobs/${id}?brief=true`);
  expect(brief.json).not.toHaveProperty("input");
  expect((await service.call("GET", "/emulator/jobs/nope")).json).toMatchObject({
    code: "job_not_found",
  });
});

it("a job is shown with every attempt, and why the earlier ones ended", async () => {
  await using service = await startTestHttp();
  const id = await service.run();
  const worker = await service.test.connectWorker("echo", { credit: 2 });
  await worker.fail(await worker.nextJob(), { message: "it broke" });
  await service.call("POST", `/v2/echo/retry/${id}`);
  await worker.nextJob();
  const { json } = await service.call("GET", `/emulator/jobs/${id}?brief=true`);
  expect(json).toMatchObject({
    attempts: [
      {
        ...{ number: 1, outcome: "failed", version: 1 },
        failure: { type: "handler_error", message: "it broke" },
      },
      { number: 2, outcome: "running" },
    ],
  });
  expect(json).not.toHaveProperty("attemptsLeftOut");
});
