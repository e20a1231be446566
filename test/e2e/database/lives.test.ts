/** The built emulator on a real PostgreSQL: its jobs, and the data that survives a restart. */
import { describe, expect, it } from "vitest";
import { postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { addressOn, startOwnS3 } from "../../setup/own-s3.ts";
import { type Received, startReceiver } from "../../unit/webhooks/receiver.ts";
import { OnDatabase, type ShownJob } from "./on-database.ts";
import { testInFull } from "../../setup/size.ts";

const MB = 1_000_000;
describe.runIf(postgresIsMissing === undefined)("on PostgreSQL", () => {
  it("jobs with every kind of end survive a restart on another machine's disk", async () => {
    const received: Received[] = [];
    await using receiver = await startReceiver((response, request) => {
      received.push(request);
      response.end();
    });
    await using service = await OnDatabase.set();
    await service.start();
    const echo = await service.run("echo", { n: 1 }, { webhook: receiver.url });
    const counts = await service.run("counts", { to: 50 });
    const waits = await service.run("waits", {});
    const fails = await service.run("fails-once", {});
    await service.until("echo", echo, "COMPLETED");
    await service.until("counts", counts, "COMPLETED");
    const chunks = await service.call(`/v2/counts/stream/${counts}?from=0`);
    await service.until("waits", waits, "IN_PROGRESS");
    await service.call(`/v2/waits/cancel/${waits}`, {});
    await service.until("waits", waits, "CANCELLED");
    await service.until("fails-once", fails, "FAILED");
    await service.call(`/v2/fails-once/retry/${fails}`, {});
    await service.until("fails-once", fails, "COMPLETED");
    await expect.poll(() => received.length).toBe(1);
    const places = [`echo/${echo}`, `waits/${waits}`, `fails-once/${fails}`, `counts/${counts}`];
    const shown = async () =>
      Promise.all(places.map((place) => service.job(...(place.split("/") as [string, string]))));
    const before = await shown();
    await service.stop();
    await service.start();
    expect(await shown()).toEqual(before);
    expect(await service.call(`/v2/counts/stream/${counts}?from=0`)).toEqual(chunks);
    expect(await service.run("echo", { n: 2 })).toBeTypeOf("string");
    const { deliveries } = await service.call<{ deliveries: unknown[] }>("/emulator/webhooks");
    expect(deliveries).toMatchObject([{ jobId: echo, state: "delivered" }]);
    expect(service.hasOwnStore()).toBe(false);
  });

  testInFull(
    "a killed emulator loses nothing acknowledged, and repeats no job with a visible end",
    async () => {
      // Without an object store the emulator alone creates the data directory.
      await using service = await OnDatabase.set(["--s3-port", "off"]);
      const acknowledged: string[] = [];
      const seen = new Map<string, unknown>();
      for (let life = 0; life < 4; life += 1) {
        await service.start();
        const clients = Array.from({ length: 8 }, async (_, client) => {
          for (let n = 0; ; n += 1) {
            const input = { life, client, n };
            const answer = await service.ask("/v2/echo/run", { input }).catch(() => undefined);
            if (answer === undefined) return;
            expect(answer.status).toBe(200);
            const { id } = answer.body as ShownJob;
            acknowledged.push(id);
            const shown = await service.ask(`/v2/echo/status/${id}`).catch(() => undefined);
            const job = shown?.body as ShownJob | undefined;
            if (job?.status === "COMPLETED") seen.set(id, job);
          }
        });
        await expect.poll(() => acknowledged.length).toBeGreaterThan((life + 1) * 100);
        await service.kill();
        await Promise.all(clients);
      }
      await service.start();
      for (const id of acknowledged) await service.until("echo", id, "COMPLETED");
      for (const [id, job] of seen) expect(await service.job("echo", id)).toEqual(job);
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
    },
  );

  testInFull(
    "payloads of 20 MB lie in the bucket, survive a kill, and go with their jobs",
    async () => {
      await using s3 = await startOwnS3();
      await using service = await OnDatabase.set(["--objects", addressOn(s3, "of/sv")]);
      await service.start();
      const text = (bytes: number) => "0123456789abcdef".repeat(bytes / 16);
      const large = text(18 * MB);
      // This wait keeps the job for five minutes, not for one: a loaded machine takes longer for the kill and the
      // start.
      const runsync = "/v2/echo/runsync?wait=300000";
      const { id } = await service.call<ShownJob>(runsync, { input: { large } });
      await service.until("echo", id, "COMPLETED");
      await service.kill();
      await service.start();
      expect((await service.job("echo", id)).output).toEqual({ large });
      const small = await service.run("counts", { to: 3, text: text(0.2 * MB) });
      await service.until("counts", small, "COMPLETED");
      // Input and output of the remaining job.
      expect(await s3.names("of/sv/")).toHaveLength(2);
      const waits = await service.run("waits", { text: text(9 * MB) });
      await service.call(`/v2/waits/cancel/${waits}`, {});
      expect(await s3.names("of/sv/")).toHaveLength(3);
      // None of the jobs is kept for longer.
      await service.call("/emulator/clock", { advance: "2h" });
      await expect.poll(async () => (await s3.names("of/sv/")).length).toBe(0);
    },
  );

  testInFull("a restart of the database server under load loses nothing acknowledged", async () => {
    await using server = await startPostgres();
    await using service = await OnDatabase.set([], server.url());
    await service.start();
    const acknowledged: string[] = [];
    const refused: unknown[] = [];
    const over = new AbortController();
    const clients = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        const answer = await service.ask("/v2/echo/run", { input: { of: "load" } }).catch(String);
        if (typeof answer !== "string" && answer.status === 200)
          acknowledged.push((answer.body as ShownJob).id);
        else refused.push(answer);
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    await server.stop("SIGQUIT");
    await server.start();
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50);
    over.abort();
    await Promise.all(clients);
    expect(refused).toEqual([]);
    for (const id of acknowledged) await service.until("echo", id, "COMPLETED");
  });
});
