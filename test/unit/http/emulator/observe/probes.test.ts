/** Probes of load balancers and supervisors: whether the service lives and is ready. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { ServiceTime } from "../../../../../emulator/store/postgres/claim/service-time.ts";
import { FakeClock } from "../../../../fake-clock.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

let service: TestHttp;
beforeEach(async () => (service = await startTestHttp({ limits: "enforce" })));
afterEach(async () => service[Symbol.asyncDispose]());

const nobody = { headers: { authorization: "" } };

it("livez and readyz answer without a key", async () => {
  const alive = await service.call("GET", "/livez", nobody);
  expect([alive.status, alive.json]).toEqual([200, { alive: true }]);
  const ready = await service.call("GET", "/readyz", nobody);
  expect([ready.status, ready.json]).toEqual([200, { ready: true }]);
  const head = await service.raw("HEAD /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 200 /u);
});

it("a replica on a machine with a wrong clock is ready, with a note until the clock is right", async () => {
  const clock = new FakeClock();
  const databaseAt = 1_800_000_000_000;
  let aheadMs = 2 * 86_400_000;
  const warned: string[] = [];
  const wall = () => databaseAt + aheadMs;
  const time = new ServiceTime({ clock, wall, warn: (sentence) => void warned.push(sentence) });
  service.test.engine.readiness.notes = () => time.notes;
  const sampled = async () => {
    const asked = { at: clock.now(), statement: { text: "" } };
    const row = [databaseAt, 0, databaseAt];
    const session = { ask: async () => expect.unreachable("nothing leaps") };
    await time.heard(session, asked, { row, isKnownElsewhere: false });
    return (await service.call("GET", "/readyz", nobody)).json;
  };
  const note = "the clock of this machine is 48 h 0 min ahead of the database's";
  expect(await sampled()).toEqual({ ready: true, notes: [note] });
  expect(await sampled()).toEqual({ ready: true, notes: [note] });
  expect(warned).toEqual([expect.stringContaining(note)]);
  aheadMs = -6_000;
  expect(await sampled()).toEqual({
    ready: true,
    notes: ["the clock of this machine is 6.0 s behind the database's"],
  });
  aheadMs = 4_000;
  expect(await sampled()).toEqual({ ready: true });
  time.clock.close();
});

it("readyz answers 503 with the problems while livez answers 200", async () => {
  service.test.engine.readiness.storeAway(true);
  const { status, json } = await service.call("GET", "/readyz", nobody);
  expect([status, json]).toEqual([
    503,
    {
      error: "not ready: the store is missing",
      code: "not_ready",
      status: 503,
      problems: ["the store is missing"],
    },
  ]);
  expect(await service.call("GET", "/livez", nobody)).toMatchObject({ status: 200 });
});

it("livez does not ask the store", async () => {
  let reads = 0;
  service.test.engine.store.job = async () => {
    reads += 1;
    throw new Error("nobody should ask");
  };
  await service.call("GET", "/livez", nobody);
  expect(reads).toBe(0);
  await service.call("GET", "/readyz", nobody);
  expect(reads).toBe(1);
});

it("a stopping service is not ready, and answers probes until its work has ended", async () => {
  const working = Promise.withResolvers<void>();
  const stopped = service.http.stop(working.promise);
  const ready = await service.call("GET", "/readyz", nobody);
  expect([ready.status, ready.json]).toMatchObject([
    503,
    { code: "not_ready", problems: ["the service is stopping"] },
  ]);
  expect(await service.call("GET", "/livez", nobody)).toMatchObject({ status: 200 });
  const refused = await service.call("GET", "/v2/echo/health");
  expect([refused.status, refused.json]).toMatchObject([503, { code: "shutting_down" }]);
  working.resolve();
  await stopped;
  await expect(fetch(`${service.url}/livez`)).rejects.toThrow("fetch failed");
});

it("probes need a host name of the service, like all operations", async () => {
  const answer = await service.raw(
    "GET /readyz HTTP/1.1\r\nhost: rebound.test\r\nconnection: close\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 421 /u);
});
