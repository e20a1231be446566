/** Every row of the rate limits over HTTP: the allowed number passes, and the next request learns when to retry. */
import { expect } from "vitest";
import { RATE_LIMITS, type RateLimitClass } from "../../runtime/protocol/rate-limits.ts";
import { startTestHttp } from "../unit/http/http-harness.ts";
import { burst, held } from "../unit/http/many-requests.ts";
import { rule } from "./rule.ts";

interface Call {
  readonly method: "GET" | "POST";
  /** A request that is answered at once; most are refused for another reason, and count all the same. */
  readonly path: string;
  readonly body?: string;
}

/** The rate passes and one more in 10 s does not; the burst passes and one more at once does not. */
async function isHeld(row: RateLimitClass, call: Call): Promise<void> {
  const { requests, concurrent } = RATE_LIMITS[row];
  await passes(call, requests, (concurrent ?? 2) / 2);
  if (concurrent !== undefined) await passesAtOnce(call, concurrent);
}

async function passes(
  { method, path, body = "" }: Call,
  requests: number,
  atOnce: number,
): Promise<void> {
  await using service = await startTestHttp({ limits: "enforce" });
  const { clock } = service.test;
  await burst(service, method, path, 1, 1, body);
  await clock.advance(3_000);
  expect(await burst(service, method, path, requests - 1, atOnce, body)).not.toContain("429");
  const refused = await service.call(method, path);
  expect(refused.status).toBe(429);
  expect(refused.headers["retry-after"]).toBe("7");
  expect(refused.text).toContain(
    `of the endpoint \\"echo\\" takes ${requests} requests in 10 s from one API key, and has as many; there is room again in 7 s`,
  );
  await clock.advance(6_999);
  expect(await burst(service, method, path, 1, 1, body)).toContain("429");
  await clock.advance(1);
  expect(await burst(service, method, path, 1, 1, body)).not.toContain("429");
  // The first request has left the window, the others have not.
  expect((await service.call(method, path)).headers["retry-after"]).toBe("3");
}

async function passesAtOnce({ method, path, body = "" }: Call, concurrent: number): Promise<void> {
  await using service = await startTestHttp({ limits: "enforce" });
  const sockets = await held(service, method, path, concurrent);
  const refused = await service.call(method, path);
  expect(refused.status).toBe(429);
  expect(refused.headers["retry-after"]).toBe("1");
  expect(refused.text).toContain(`takes ${concurrent} requests at once from one API key`);
  sockets[0]?.destroy();
  await service.test.clock.settle();
  expect(await burst(service, method, path, 1, 1, body)).not.toContain("429");
}

rule("POST /runsync: 2,000 requests in 10 s, 400 at once", () =>
  isHeld("runsync", { method: "POST", path: "/v2/echo/runsync" }),
);

rule("POST /run: 1,000 requests in 10 s, 200 at once", () =>
  isHeld("run", { method: "POST", path: "/v2/echo/run" }),
);

rule("GET /status: 2,000 requests in 10 s, 400 at once", () =>
  isHeld("status", { method: "GET", path: "/v2/echo/status/none" }),
);

rule("GET /stream: 2,000 requests in 10 s, 400 at once", () =>
  isHeld("stream", { method: "GET", path: "/v2/echo/stream/none" }),
);

rule("POST /cancel: 100 requests in 10 s, 20 at once", () =>
  isHeld("cancel", { method: "POST", path: "/v2/echo/cancel/none" }),
);

rule("POST /purge-queue: 2 requests in 10 s", () =>
  isHeld("purge-queue", { method: "POST", path: "/v2/echo/purge-queue" }),
);

rule("POST /openai/*: 2,000 requests in 10 s, 400 at once", () =>
  isHeld("openai", { method: "POST", path: "/v2/echo/openai/v1/chat/completions", body: "{" }),
);

rule("GET /requests: 10 requests in 10 s, 2 at once", () =>
  isHeld("requests", { method: "GET", path: "/v2/echo/requests" }),
);

rule("the limit is higher where running workers × requests per worker is more", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  await service.test.addEndpoint("many", { requestsPerWorker: 3 });
  const path = "/v2/many/purge-queue";
  const workers = [
    await service.test.connectWorker("many"),
    await service.test.connectWorker("many"),
  ];
  const burstOf = async (count: number) => [...(await burst(service, "POST", path, count, 1))];
  expect(await burstOf(2)).toEqual(["200"]);
  expect(await burstOf(1)).toEqual(["429"]);
  for (const passing of [1, 3]) {
    await service.call("POST", "/v2/many/run", { body: { input: {} } });
    expect(await burstOf(passing)).toEqual(["200"]);
    expect(await burstOf(1)).toEqual(["429"]);
  }
  for (const worker of workers) await worker.complete(await worker.nextJob());
  await service.test.clock.advance(9_999);
  expect(await burstOf(1)).toEqual(["429"]);
});
