/** Treatment of requests over their limit in each mode. */
import { expect, it } from "vitest";
import { startTestHttp } from "../../http-harness.ts";
import { burst, held } from "../../many-requests.ts";

it("warn lets every request through, with a warning in a header and once per window in the log", async () => {
  await using service = await startTestHttp({ limits: "warn" });
  const { clock, logged } = service.test;
  const purge = async () => {
    const { status, headers } = await service.call("POST", "/v2/echo/purge-queue");
    expect(status).toBe(200);
    return headers["sv-limit-exceeded"];
  };
  expect([await purge(), await purge(), await purge(), await purge()]).toEqual([
    undefined,
    undefined,
    "purge-queue 2/10s",
    "purge-queue 2/10s",
  ]);
  await clock.advance(10_000);
  // Requests that the live service would refuse take no place.
  expect([await purge(), await purge(), await purge()]).toEqual([
    undefined,
    undefined,
    "purge-queue 2/10s",
  ]);
  const warned = logged.filter(({ level }) => level === "warn");
  expect(warned.map(({ message }) => message)).toEqual(
    Array.from(
      { length: 2 },
      () =>
        'production would answer 429: /purge-queue of the endpoint "echo" takes 2 requests in 10 s from one API key, and has as many',
    ),
  );
  const at = clock.now();
  expect(service.gate?.exceededLimits()).toEqual([
    {
      endpointId: "echo",
      operation: "/purge-queue",
      count: 3,
      rate: { peak: 4, limit: 2 },
      concurrency: undefined,
      firstAt: at - 10_000,
      lastAt: at,
    },
  ]);
});

it("warn reports the real number of concurrent requests", async () => {
  await using service = await startTestHttp({ limits: "warn" });
  await held(service, "GET", "/v2/echo/requests", 5);
  const { headers } = await service.call("GET", "/v2/echo/requests");
  expect(headers["sv-limit-exceeded"]).toBe("requests 2 at once");
  expect(service.gate?.exceededLimits()).toMatchObject([
    { count: 4, rate: { peak: 6, limit: 10 }, concurrency: { peak: 6, limit: 2 } },
  ]);
});

it("enforce counts a refused request as ended at once", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  await held(service, "GET", "/v2/echo/requests", 2);
  expect([...(await burst(service, "GET", "/v2/echo/requests", 3))]).toEqual(["429"]);
  expect(service.gate?.exceededLimits()).toMatchObject([
    { count: 3, concurrency: { peak: 3, limit: 2 } },
  ]);
});

it("without limits every request passes", async () => {
  await using service = await startTestHttp();
  expect([...(await burst(service, "POST", "/v2/echo/purge-queue", 100))]).toEqual(["200"]);
});
