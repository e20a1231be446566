/** Every way a call can fail, as a class with a stable code. */
import { createServer } from "node:net";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import {
  ClientClosedError,
  ClientError,
  ConfigurationError,
  ConnectionError,
  createClient,
  InvalidResponseError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  ServiceError,
  ServiceUnavailableError,
  UnauthorizedError,
  ValidationError,
  type ClientOptions,
} from "../../../runtime/client/index.ts";
import { rejection } from "./rejection.ts";
import { hangUp, json, playing, refusal, type Step } from "./service-double.ts";
import { TestClock } from "./test-clock.ts";

const AT = "/v2/my%20endpoint";
const run = (reply: Step["reply"]): Step => ({
  request: `POST ${AT}/run`,
  body: { input: {} },
  reply,
});

const ONCE = { retry: { maxAttempts: 1 } };

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("refusals", () => {
  test.each([
    [400, ValidationError],
    [401, UnauthorizedError],
    [403, UnauthorizedError],
    [404, NotFoundError],
    [413, PayloadTooLargeError],
    [429, RateLimitedError],
    [500, ServiceError],
    [503, ServiceUnavailableError],
  ])("HTTP %i has its own class with the service's code and message", (httpStatus, errorClass) =>
    playing(
      [run(refusal(httpStatus, "some_code"))],
      async ({ endpoint }) => {
        const error = await rejection(endpoint.run({}));
        expect(error).toBeInstanceOf(errorClass);
        expect(error).toBeInstanceOf(ClientError);
        expect(error).toMatchObject({
          name: errorClass.name,
          code: "some_code",
          status: httpStatus,
          problems: [],
          message: "Refused: some_code.",
        });
      },
      ONCE,
    ),
  );

  test("the message of a validation error lists its problems, one on each line", () =>
    playing(
      [run(refusal(400, "invalid_input", { problems: ["input is missing", "wait is too long"] }))],
      async ({ endpoint }) => {
        const error = await rejection(endpoint.run({}));
        expect(error).toMatchObject({
          problems: ["input is missing", "wait is too long"],
          message: "Refused: invalid_input.\n- input is missing\n- wait is too long",
        });
      },
    ));

  test("an error page of a proxy is quoted and gets the code of its status", () =>
    playing(
      [run((response) => response.writeHead(502).end("<h1>Bad Gateway</h1>"))],
      async ({ endpoint }) => {
        expect(await rejection(endpoint.run({}))).toMatchObject({
          name: "ServiceUnavailableError",
          code: "http_502",
          message: "The service answered with HTTP status 502: <h1>Bad Gateway</h1>",
        });
      },
    ));

  test.each([
    ["seconds", "7", {}, 7000],
    ["a date", "Wed, 21 Oct 2026 07:28:30 GMT", { date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    [
      "a date that has passed",
      "Wed, 21 Oct 2026 07:27:00 GMT",
      { date: "Wed, 21 Oct 2026 07:28:00 GMT" },
      0,
    ],
    ["nonsense", "soon", {}, undefined],
  ])("Retry-After as %s is read in milliseconds", (_name, retryAfter, headers, expected) =>
    playing(
      [run(refusal(429, "rate_limited", {}, { "retry-after": retryAfter, ...headers }))],
      async ({ endpoint }) => {
        expect(await rejection(endpoint.run({}))).toMatchObject({ retryAfterMs: expected });
      },
      ONCE,
    ),
  );
});

describe("invalid answers", () => {
  test.each([
    ["no JSON", (response) => response.end("<html>")],
    ["no object", json([])],
    ["a job without id", json({ status: "IN_QUEUE" })],
    ["an unknown status", json({ id: "j", status: "SLEEPING" })],
  ] satisfies [string, Step["reply"]][])("%s is an InvalidResponseError", (_name, reply) =>
    playing([run(reply)], async ({ endpoint }) => {
      const error = await rejection(endpoint.run({}));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error).toMatchObject({ code: "invalid_response" });
    }),
  );

  test("missing counts are an InvalidResponseError", () =>
    playing(
      [
        { request: `GET ${AT}/health`, reply: json({ jobs: { inQueue: 1 } }) },
        { request: `GET ${AT}/health`, reply: json({ jobs: { inQueue: "1" }, workers: {} }) },
        { request: `POST ${AT}/purge-queue`, reply: json({ status: "completed" }) },
      ],
      async ({ endpoint }) => {
        expect(await rejection(endpoint.health())).toBeInstanceOf(InvalidResponseError);
        expect(await rejection(endpoint.health())).toBeInstanceOf(InvalidResponseError);
        expect(await rejection(endpoint.purgeQueue())).toBeInstanceOf(InvalidResponseError);
      },
    ));
});

describe("connections", () => {
  test("a port without a listener is a ConnectionError that says the submission was never sent", async () => {
    await using client = createClient({
      baseUrl: `http://127.0.0.1:${await freePort()}`,
      apiKey: "k",
    });
    const error = await rejection(client.endpoint("e").run({}));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: "connection_failed",
      mayHaveBeenSent: false,
      message: expect.stringMatching(/^No answer to POST \/v2\/e\/run from http:.*ECONNREFUSED/),
      cause: expect.objectContaining({ code: "ECONNREFUSED" }),
    });
  });

  test("a GET is tried maxAttempts times without a process at the port", async () => {
    const clock = new TestClock();
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    await using client = createClient({ baseUrl, apiKey: "k", clock, random: () => 0 });
    expect(await rejection(client.endpoint("e").health())).toBeInstanceOf(ConnectionError);
    expect(clock.slept).toEqual([50, 100, 200, 400, 800]);
  });

  test("after a broken connection during a submission, the error says that the job may have been submitted", () =>
    playing([run(hangUp)], async ({ endpoint }) => {
      expect(await rejection(endpoint.run({}))).toMatchObject({
        name: "ConnectionError",
        mayHaveBeenSent: true,
      });
    }));

  test("an aborted call rejects with the signal's reason", async () => {
    const asked = Promise.withResolvers<void>();
    const stop = new AbortController();
    await playing([run(() => asked.resolve())], async ({ endpoint }) => {
      const call = rejection(endpoint.run({}, { signal: stop.signal }));
      await asked.promise;
      stop.abort(new Error("enough"));
      expect(await call).toMatchObject({ message: "enough" });
      expect(await rejection(endpoint.run({}, { signal: stop.signal }))).toMatchObject({
        message: "enough",
      });
    });
  });

  test("close ends running calls and refuses later ones", async () => {
    const asked = Promise.withResolvers<void>();
    await playing(
      [{ ...run(() => asked.resolve()), request: "POST /v2/e/run" }],
      async ({ baseUrl }) => {
        const client = createClient({ baseUrl, apiKey: "test-key" });
        const call = rejection(client.endpoint("e").run({}));
        await asked.promise;
        await client.close();
        await client.close();
        expect(await call).toBeInstanceOf(ClientClosedError);
        expect(await rejection(client.endpoint("e").health())).toBeInstanceOf(ClientClosedError);
      },
    );
  });
});

describe("configuration", () => {
  test.each([
    ["an invalid base URL", { baseUrl: "localhost:7080", apiKey: "k" }, "baseUrl must be an http"],
    ["a key with a line break", { apiKey: "secret\n" }, "apiKey must be printable ASCII"],
    ["an empty key", { apiKey: "" }, "There is no API key"],
  ] satisfies [string, ClientOptions, string][])("%s is refused", (_name, options, message) => {
    expect(() => createClient(options)).toThrow(ConfigurationError);
    expect(() => createClient(options)).toThrow(message);
    expect(() => createClient(options)).not.toThrow("secret");
  });

  test("endpoint() without any id is refused", async () => {
    await using client = createClient({ apiKey: "k" });
    expect(() => client.endpoint()).toThrow(ConfigurationError);
  });
});
