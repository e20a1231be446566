/** The quotas of a key over all operations of REST v2: in each answer, and enforced. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { QUOTAS } from "../../../../../emulator/core/limits/quota.ts";
import { KEY, OTHER_KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";

const [MINUTE = { requests: 0 }] = QUOTAS;

const POLICY = '"minute";q=30000;w=60, "hour";q=600000;w=3600, "day";q=5000000;w=86400';

const get = (service: TestHttp, key = KEY, path = "/live/v2/templates") =>
  service.call("GET", path, { headers: { authorization: `Bearer ${key}` } });

/** Counts this number of requests for the key of the tests. */
function use({ gate }: TestHttp, count: number): void {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  for (let at = 0; at < count; at += 1) gate?.quotas.pass("user", response);
}

test("each answer has the rest of every window, as a structured field", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  const first = await get(service);
  expect(first.headers["ratelimit-policy"]).toBe(POLICY);
  expect(first.headers["ratelimit"]).toMatch(
    /^"minute";r=29999;t=\d+, "hour";r=599999;t=\d+, "day";r=4999999;t=\d+$/u,
  );
  const missing = await get(service, KEY, "/live/v2/templates/none");
  expect(missing).toMatchObject({ status: 404 });
  expect(missing.headers["ratelimit"]).toContain('"minute";r=29998;');
  const other = await get(service, OTHER_KEY);
  expect(other.headers["ratelimit"]).toContain('"minute";r=29999;');
});

test("the document and other operations are not counted, and neither is a service without limits", async () => {
  await using limited = await startTestHttp({ limits: "enforce" });
  for (const path of ["/live/v2/openapi.json", "/live/v1/templates", "/v1/endpoints"])
    expect((await get(limited, KEY, path)).headers).not.toHaveProperty("ratelimit");
  await using free = await startTestHttp();
  expect((await get(free)).headers).not.toHaveProperty("ratelimit");
});

test("a request beyond a window is refused until there is room, or let through with a warning", async () => {
  for (const limits of ["enforce", "warn"] as const) {
    await using service = await startTestHttp({ limits });
    use(service, MINUTE.requests);
    const over = await get(service);
    expect(over.headers["ratelimit"]).toContain('"minute";r=0;t=');
    if (limits === "warn") {
      expect(over.status).toBe(200);
      expect(over.headers["sv-limit-exceeded"]).toBe("minute 30000/60s");
      const warnings = service.test.logged.filter(({ message }) => message.includes("answer 429"));
      expect(warnings).toHaveLength(1);
      continue;
    }
    expect(over.status).toBe(429);
    expect(over.headers["content-type"]).toBe("application/problem+json");
    expect(Number(over.headers["retry-after"])).toBeGreaterThan(0);
    expect(over.json).toMatchObject({ title: "Too Many Requests", status: 429 });
    await service.test.clock.advance(60_000);
    expect((await get(service)).status).toBe(200);
  }
});
