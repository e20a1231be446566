/** The HTTP statuses of errors, each by its typical causes. */
import { expect } from "vitest";
import { startTestHttp } from "../unit/http/http-harness.ts";
import { show, submit, submitRunning } from "./calls.ts";
import { rule } from "./rule.ts";

rule(
  "400: a request of invalid format or with invalid parameters, POST /templates with invalid input too",
  async () => {
    await using service = await startTestHttp();
    const bodies = ["{", '{"input":1}', '{"prompt":"x"}', '{"input":{},"policy":{"ttl":1}}'];
    for (const body of bodies) {
      const answer = await service.call("POST", "/v2/echo/run", { body });
      expect(answer.status, body).toBe(400);
    }
    const template = await service.call("POST", "/v1/templates", { body: { name: "only a name" } });
    expect(template).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  },
);

rule("401: the API key is wrong or lacks the permission", async () => {
  await using service = await startTestHttp();
  for (const path of ["/v2/echo/health", "/v1/templates", "/v1/endpoints"]) {
    for (const authorization of ["Bearer wrong", "wrong", ""]) {
      const answer = await service.call("GET", path, { headers: { authorization } });
      expect(answer, path).toMatchObject({ status: 401, json: { code: "unauthorized" } });
    }
  }
});

rule(
  "404: the endpoint id is wrong, or the job was deleted because its TTL or its result expired",
  async () => {
    await using service = await startTestHttp();
    const wrong = await service.call("GET", "/v2/nowhere/health");
    expect(wrong).toMatchObject({ status: 404, json: { code: "endpoint_not_found" } });
    const waiting = await submit(service, { policy: { ttl: 10_000 } });
    await service.test.clock.advance(10_000);
    expect(await show(service, waiting)).toMatchObject({ status: 404, code: "job_not_found" });
    const { id, job, worker } = await submitRunning(service);
    await worker.complete(job, 1);
    await service.test.clock.advance(1_800_000);
    expect(await show(service, id)).toMatchObject({ status: 404, code: "job_not_found" });
  },
);

rule("429: the effective rate limit is exceeded", async () => {
  await using service = await startTestHttp({ limits: "enforce" });
  const purge = () => service.call("POST", "/v2/echo/purge-queue");
  expect([(await purge()).status, (await purge()).status]).toEqual([200, 200]);
  const refused = await purge();
  expect(refused).toMatchObject({ status: 429, json: { code: "rate_limited", status: 429 } });
  expect(refused.headers["retry-after"]).toBe("10");
});

rule("500: an internal server error", async () => {
  await using service = await startTestHttp();
  service.test.engine.steps.counts = () => Promise.reject(new TypeError("a defect"));
  const answer = await service.call("GET", "/v2/echo/health");
  expect(answer).toMatchObject({ status: 500, json: { code: "internal_error" } });
  expect(answer.text).not.toContain("a defect");
});
