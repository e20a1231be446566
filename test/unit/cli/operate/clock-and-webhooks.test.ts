/** The commands for service time and for webhook deliveries. */
import { expect, test } from "vitest";
import { startTestHttp, type TestHttp } from "../../http/http-harness.ts";
import { json, run, submit } from "./run-command.ts";
import { LOOK_MS } from "../../../setup/patience.ts";

test("the clock is shown with the next due events, and advanced by an argument or an option", async () => {
  await using service = await startTestHttp();
  await service.test.clock.advance(0);
  expect(await run(service, "clock")).toMatch(/^now {7}\d{4}-\S+ \S+\ndue next {2}nothing\n$/);
  await submit(service, "echo", { policy: { ttl: 3_600_000, lowPriority: true } });
  const waiting = await run(service, "clock");
  expect(waiting).toMatch(/\ndue next {2}\S+ \S+ {2}\(in 1 h 0 min\)\n/);
  expect(waiting).toMatch(/\nDUE +IN +WHAT +OF\n\S+ \S+ +1 h 0 min +\S.*\n$/);
  expect(await run(service, "clock", "+31m")).toMatch(
    /^now {7}\S+ \S+ {2}\(31 min 0 s ahead of real time\)\ndue next .*\(in 29 min 0 s\)\n/,
  );
  const advanced: unknown = JSON.parse(
    await run(service, "clock", undefined, { flags: { ...json, advance: "29m" } }),
  );
  expect(advanced).toMatchObject({ offsetMs: 3_600_000, settled: true, nextDueAt: null });
  await expect(run(service, "clock", "soon")).rejects.toThrow("must be a duration like");
});

test("deletions that a wrong clock would cause are held until the next start", async () => {
  await using service = await startTestHttp();
  expect(await run(service, "clock", "hold")).toBe("nothing is held\n");
  service.test.engine.clock.holdBack(172_800_000);
  expect(await run(service, "clock", "hold")).toBe(
    "held until the next start: what is due only because the clock was 48 h 0 min ahead\n",
  );
  expect(service.test.engine.clock.letGo()).toBe(false);
});

async function endOne(service: TestHttp, path: string): Promise<string> {
  const id = await submit(service, "echo", { webhook: `http://127.0.0.1:9/${path}` });
  const worker = await service.test.connectWorker();
  await worker.complete(await worker.nextJob(), { path });
  await service.test.engine.pendingWork.settled(AbortSignal.timeout(LOOK_MS));
  return id;
}

test("webhook deliveries are listed, shown with their request and tries, and sent again", async () => {
  await using service = await startTestHttp();
  const one = await endOne(service, "one");
  const two = await endOne(service, "two");
  const lines = (await run(service, "webhooks")).split("\n");
  expect(lines[0]).toMatch(/^DELIVERY +ENDPOINT +JOB +STATE +TRIES +LAST ANSWER +TO$/);
  expect(lines[1]).toMatch(
    new RegExp(`^msg_${two}_0 +echo +COMPLETED +delivered +1 +200 +http://127.0.0.1:9/two$`),
  );
  expect(lines).toHaveLength(4);
  const flags = { ...json, state: "failed", endpoint: "echo", limit: "1" } as const;
  expect(await run(service, "webhooks", undefined, { flags })).toBe("[]\n");
  const text = await run(service, "webhooks", `…${one.slice(-14)}`);
  expect(text).toContain(`delivery  msg_${one}_0\n`);
  expect(text).toMatch(/\nTRY +TOOK +ANSWER\n\S+ \S+ +\d+ ms +200\n/);
  expect(text).toContain("request\n  POST http://127.0.0.1:9/one\n  ");
  expect(text).toContain(`webhook-id: msg_${one}_0\n`);
  expect(text).toMatch(/\nbody\n {2}\{\n/);
  const again = await run(service, "webhooks", `msg_${one}_0`, { flags: { redeliver: true } });
  expect(again).toBe(`msg_${one}_0 pending\n`);
  await service.test.engine.pendingWork.settled(AbortSignal.timeout(LOOK_MS));
  const shown = JSON.parse(await run(service, "webhooks", one, { flags: json })) as {
    tries: unknown[];
  };
  expect(shown.tries).toHaveLength(2);
});

test("a missing, unnamed or ambiguous delivery is refused with that reason", async () => {
  await using service = await startTestHttp();
  await endOne(service, "one");
  await endOne(service, "two");
  await expect(run(service, "webhooks", "msg_none")).rejects.toThrow(
    "there is no webhook delivery",
  );
  await expect(run(service, "webhooks", "none")).rejects.toThrow("there is no webhook delivery of");
  await expect(run(service, "webhooks", "-e1")).rejects.toThrow(/may be any of .*:\n {2}msg_.*\n/);
  const redeliver = { flags: { redeliver: true } } as const;
  await expect(run(service, "webhooks", undefined, redeliver)).rejects.toMatchObject({
    name: "UsageError",
  });
});
