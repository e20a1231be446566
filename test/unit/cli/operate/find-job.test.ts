/** Lookup of a job by the end or the beginning of its id, or as the newest; also of a deleted job. */
import { expect, test } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { shortId } from "../../../../emulator/cli/log/pretty-line.ts";
import { startTestHttp, type TestHttp } from "../../http/http-harness.ts";
import { json, run, submit } from "./run-command.ts";

async function failOne(service: TestHttp): Promise<string> {
  const id = await submit(service);
  const worker = await service.test.connectWorker();
  await worker.fail(await worker.nextJob(), { message: "it broke" });
  return id;
}

const idOf = async (service: TestHttp, subject: string | undefined, flags = {}) => {
  const shown = await run(service, "job", subject, { flags: { ...json, ...flags } });
  return (JSON.parse(shown) as { id: string }).id;
};

test("all commands on a job accept the end of its id as the log shows it", async () => {
  await using service = await startTestHttp();
  const failed = await failOne(service);
  const waiting = await submit(service);
  for (const part of [failed, shortId(failed), shortId(failed).slice(1), failed.slice(0, -1)])
    expect(await idOf(service, part)).toBe(failed);
  expect(await run(service, "why", shortId(failed))).toContain(`Job ${failed} of "echo" failed`);
  expect(await run(service, "cancel", shortId(waiting))).toBe(`${waiting} CANCELLED\n`);
  expect(await run(service, "retry", shortId(failed))).toBe(`${failed} IN_QUEUE\n`);
  const sync = service.call("POST", "/v2/echo/runsync", { body: { input: {} } });
  const worker = await service.test.connectWorker("echo", { credit: 9 });
  await worker.complete(await worker.nextJob());
  await worker.complete(await worker.nextJob());
  const { id } = (await sync).json as { id: string };
  expect(await idOf(service, id.slice("sync-".length, -3))).toBe(id);
});

test("an ambiguous id is refused with all candidates, and an unknown id as unknown", async () => {
  await using service = await startTestHttp();
  const ids = [await submit(service), await submit(service)];
  const refused = run(service, "cancel", "-e1");
  await expect(refused).rejects.toMatchObject({
    name: "RefusedError",
    message: `"-e1" may be any of 2 jobs; give more of the id:\n  ${ids[1]}\n  ${ids[0]}`,
  });
  await expect(run(service, "job", "…none-e1")).rejects.toThrow('there is no job "none-e1"');
});

test("the newest job, or the newest failed one, is shown on request", async () => {
  await using service = await startTestHttp();
  const failed = await failOne(service);
  const newest = await submit(service);
  expect(await idOf(service, undefined, { last: true })).toBe(newest);
  expect(await idOf(service, undefined, { last: "failed" })).toBe(failed);
  expect(await run(service, "why", undefined, { flags: { last: "failed" } })).toContain("It broke");
  const usage = { name: "UsageError", message: expect.stringContaining("which job?") };
  await expect(run(service, "job")).rejects.toMatchObject(usage);
  await expect(run(service, "why", newest, { flags: { last: true } })).rejects.toMatchObject(usage);
  await using empty = await startTestHttp();
  await expect(idOf(empty, undefined, { last: true })).rejects.toThrow("there is no job");
  await expect(idOf(empty, undefined, { last: "failed" })).rejects.toThrow("has failed");
});

test("a failed job that was deleted is found, shown and explained, and cannot be retried", async () => {
  await using service = await startTestHttp();
  const id = await failOne(service);
  await service.call("POST", "/emulator/clock", { body: { advance: LIMITS.asyncRetentionMs } });
  const text = await run(service, "job", shortId(id));
  expect(text).toMatch(/\ndeleted +\S+ \S+; its input and output are gone\n/);
  expect(text).toContain("message  it broke\n");
  expect(text).not.toMatch(/\ninput|\nexpires/);
  expect(await run(service, "why", undefined, { flags: { last: "failed" } })).toMatch(
    /It broke\. It was deleted at \S+ \S+; its input and output are gone\.\n$/,
  );
  await expect(run(service, "retry", shortId(id))).rejects.toThrow("was deleted, and its input is");
});

test("the report of a job that was deleted while it ran says so", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const id = await submit(service, "echo", { policy: { ttl: 10_000 } });
  await worker.nextJob();
  await service.call("POST", "/emulator/clock", { body: { advance: "10s" } });
  expect(await run(service, "why", id)).toMatch(
    /ran out of its time to live before it had ended, in attempt 1 on worker \S+ with version 1\. Its time to live was 10\.0 s\. It was deleted/,
  );
});
