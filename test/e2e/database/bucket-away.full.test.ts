/** The bucket for large payloads fails while the built emulator works: all other jobs go on, and nothing is lost. */
import { describe, expect, it } from "vitest";
import { type HttpWay, startHttpWay } from "../../setup/http-way.ts";
import { addressOn, startOwnS3 } from "../../setup/own-s3.ts";
import { postgresIsMissing } from "../../setup/postgres.ts";
import { refusal } from "../../unit/runtime/storage/fake-s3.ts";
import { OnDatabase } from "./on-database.ts";

const LARGE = "x".repeat(400_000);
const FATES: Readonly<Record<string, HttpWay["fate"]>> = {
  "cuts connections": "cut",
  "answers 503": refusal(503, "SlowDown"),
  "refuses the key": refusal(403, "InvalidAccessKeyId"),
};

async function metricOf(service: OnDatabase): Promise<string | undefined> {
  const { url, apiKey } = service.emulator;
  const headers = { authorization: `Bearer ${apiKey}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return /^sv_bucket_failing (\d)$/m.exec(text)?.[1];
}

describe.runIf(postgresIsMissing === undefined)("a bucket", () => {
  it.each(Object.entries(FATES))(
    "that %s: jobs with large payloads wait or are refused, small ones continue, and all end when it works again",
    async (_, fate) => {
      await using s3 = await startOwnS3();
      await using way = await startHttpWay(s3.url);
      await using service = await OnDatabase.set(["--objects", addressOn({ ...s3, url: way.url })]);
      await service.start();
      expect(await metricOf(service)).toBe("0");
      // The only worker is held, so that further jobs wait in the queue.
      const first = await service.run("waits", {});
      await service.until("waits", first, "IN_PROGRESS");
      const queued = await service.run("waits", { text: LARGE });
      const grown = await service.run("grows", { afterMs: 2_000, bytes: LARGE.length });
      way.fate = fate;
      await service.call(`/v2/waits/cancel/${first}`, {});
      const small = await service.run("waits", {});
      await service.until("waits", small, "IN_PROGRESS");
      const refused = await service.ask("/v2/echo/run", { input: { text: LARGE } });
      expect(refused).toMatchObject({ status: 507, body: { code: "storage_failed" } });
      const echo = await service.run("echo", { n: 1 });
      await service.until("echo", echo, "COMPLETED");
      expect((await fetch(`${service.emulator.url}/readyz`)).status).toBe(200);
      expect(await metricOf(service)).toBe("1");
      await service.emulator.stderrMatch(/the bucket for large payloads fails, .*of-tests/);
      way.fate = "pass";
      await service.call(`/v2/waits/cancel/${small}`, {});
      await service.until("waits", queued, "IN_PROGRESS");
      expect((await service.until("grows", grown, "COMPLETED")).output).toBe(LARGE);
      await expect.poll(() => metricOf(service)).toBe("0");
      await service.emulator.stderrMatch(/the bucket for large payloads works again/);
    },
  );

  it("that is slow: the worker gets a large input however long it takes, at no cost of attempts", async () => {
    await using s3 = await startOwnS3();
    await using way = await startHttpWay(s3.url);
    await using service = await OnDatabase.set(["--objects", addressOn({ ...s3, url: way.url })]);
    await service.start();
    const first = await service.run("waits", {});
    await service.until("waits", first, "IN_PROGRESS");
    const queued = await service.run("waits", { text: LARGE });
    way.fate = "wait";
    await service.call(`/v2/waits/cancel/${first}`, {});
    // Wait: longer than the lease.
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    way.fate = "pass";
    await service.until("waits", queued, "IN_PROGRESS");
    const { attempts } = await service.call<{ attempts: readonly { readonly outcome: string }[] }>(
      `/emulator/jobs/${queued}`,
    );
    expect(attempts.map(({ outcome }) => outcome)).not.toContain("lost");
  });
});
