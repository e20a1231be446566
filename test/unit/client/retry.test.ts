/** Which calls are tried again, how long is waited between the tries, and when they end. */
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

describe("trying again", () => {
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

  test("a GET whose connection breaks is sent again", () =>
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

  test.each([
    ["429", refusal(429, "rate_limited", {}, { "retry-after": "1" })],
    ["a broken connection", hangUp],
  ])("a submission is never sent twice: %s", (_name, reply) =>
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
