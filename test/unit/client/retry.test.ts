/** Retried calls, the pauses between tries, and when retries end. */
import { describe, expect, test } from "vitest";
import { rejection } from "./rejection.ts";
import { hangUp, json, playing, refusal, type Step } from "./service-double.ts";
import { TestClock } from "./test-clock.ts";

const AT = "/v2/my%20endpoint";
const run = (reply: Step["reply"]): Step => ({
  request: `POST ${AT}/run`,
  body: { input: {} },
  reply,
});
const status = (reply: Step["reply"]): Step => ({ request: `GET ${AT}/status/j`, reply });
const queued = json({ id: "j", status: "IN_QUEUE" });

describe("a retry", () => {
  test("a GET that is refused with 429 waits as long as Retry-After says and succeeds", () =>
    playing(
      [
        status(refusal(429, "rate_limited", {}, { "retry-after": "2" })),
        status(refusal(429, "rate_limited")),
        status(refusal(503, "starting")),
        status(queued),
      ],
      async ({ endpoint, clock }) => {
        expect((await endpoint.status("j")).status).toBe("IN_QUEUE");
        expect(clock.slept).toEqual([2000, 100, 200]);
      },
    ));

  test("a GET with a broken connection is sent again", () =>
    playing([status(hangUp), status(queued)], async ({ endpoint, clock }) => {
      expect((await endpoint.status("j")).status).toBe("IN_QUEUE");
      expect(clock.slept).toEqual([50]);
    }));

  test("tries end at maxAttempts with the last refusal", () =>
    playing(
      [status(refusal(429, "first")), status(refusal(429, "second"))],
      async ({ endpoint }) => {
        expect(await rejection(endpoint.status("j"))).toMatchObject({ code: "second" });
      },
      { retry: { maxAttempts: 2 } },
    ));

  test("a Retry-After beyond maxRetryAfterMs is not waited for", () =>
    playing(
      [status(refusal(429, "rate_limited", {}, { "retry-after": "31" }))],
      async ({ endpoint, clock }) => {
        expect(await rejection(endpoint.status("j"))).toMatchObject({ retryAfterMs: 31_000 });
        expect(clock.slept).toEqual([]);
      },
    ));

  test.each([404, 500])("a GET that is refused with %i is not sent again", (httpStatus) =>
    playing([status(refusal(httpStatus, "final"))], async ({ endpoint }) => {
      expect(await rejection(endpoint.status("j"))).toMatchObject({ code: "final" });
    }),
  );

  test("a submission that is refused with 429 is sent again after Retry-After", () =>
    playing(
      [run(refusal(429, "rate_limited", {}, { "retry-after": "7" })), run(queued)],
      async ({ endpoint, clock }) => {
        expect((await endpoint.run({})).status).toBe("IN_QUEUE");
        expect(clock.slept).toEqual([7000]);
      },
    ));

  test("runSync retries while timeoutMs leaves time", () => {
    const runSync = (reply: Step["reply"]): Step => ({
      request: `POST ${AT}/runsync?wait=10000`,
      body: { input: {} },
      reply,
    });
    const busy = runSync(refusal(429, "rate_limited", {}, { "retry-after": "4" }));
    return playing([busy, busy, busy], async ({ endpoint, clock }) => {
      const call = endpoint.runSync({}, { waitMs: 10_000, timeoutMs: 19_000 });
      expect(await rejection(call)).toMatchObject({ code: "rate_limited" });
      expect(clock.slept).toEqual([4000, 4000]);
    });
  });

  test.each([
    ["503", refusal(503, "shutting_down", {}, { "retry-after": "1" })],
    ["a broken connection", hangUp],
  ])("a submission that may have been accepted is never sent twice: %s", (_name, reply) =>
    playing([run(reply)], async ({ endpoint, clock }) => {
      await rejection(endpoint.run({}));
      expect(clock.slept).toEqual([]);
    }),
  );

  test("a signal ends the wait between two tries", async () => {
    const clock = new TestClock("manual");
    const asked = Promise.withResolvers<void>();
    const stop = new AbortController();
    const reply: Step["reply"] = (response, request) => {
      response.once("close", asked.resolve);
      refusal(429, "rate_limited", {}, { "retry-after": "9" })(response, request);
    };
    await playing(
      [status(reply)],
      async ({ endpoint }) => {
        const call = rejection(endpoint.status("j", { signal: stop.signal }));
        await asked.promise;
        stop.abort(new Error("enough"));
        expect(await call).toMatchObject({ message: "enough" });
      },
      { clock },
    );
  });
});
