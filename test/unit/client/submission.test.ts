/** Requests and results when jobs are submitted, read, cancelled and retried. */
import { describe, expect, expectTypeOf, test } from "vitest";
import type { CompletedJob, EndpointClient, Job } from "../../../runtime/client/index.ts";
import { json, playing } from "./service-double.ts";

const JOB = "0198-e1";
const AT = "/v2/my%20endpoint";

describe("EndpointClient", () => {
  test("run posts the input with the given options, and returns the job's id", () =>
    playing(
      [
        {
          request: `POST ${AT}/run`,
          body: {
            input: { name: "Ada" },
            webhook: "https://example.com/hook",
            policy: { executionTimeout: 5000, lowPriority: true, ttl: 60_000 },
            s3Config: { accessId: "a", accessSecret: "b", bucketName: "c", endpointUrl: "d" },
          },
          reply: json({ id: JOB, status: "IN_QUEUE" }),
        },
        {
          request: `POST ${AT}/run`,
          body: { input: { n: 1 } },
          reply: json({ id: JOB, status: "IN_QUEUE" }),
        },
      ],
      async ({ endpoint }) => {
        const state = await endpoint.run(
          { name: "Ada" },
          {
            webhook: "https://example.com/hook",
            policy: { executionTimeout: 5000, lowPriority: true, ttl: 60_000 },
            s3Config: { accessId: "a", accessSecret: "b", bucketName: "c", endpointUrl: "d" },
          },
        );
        expect(state).toEqual({ id: JOB, status: "IN_QUEUE" });
        await endpoint.run({ n: 1 }, { webhook: undefined });
      },
    ));

  test("run and runSync send the job's trace", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const job = { id: JOB, status: "COMPLETED" };
    const body = { input: {} };
    return playing(
      [
        { request: `POST ${AT}/run`, headers: { traceparent }, body, reply: json(job) },
        {
          request: `POST ${AT}/runsync?wait=90000`,
          headers: { traceparent },
          body,
          reply: json(job),
        },
      ],
      async ({ endpoint }) => {
        expect(await endpoint.run({}, { traceparent })).toEqual(job);
        expect(await endpoint.runSync({}, { traceparent })).toEqual(job);
      },
    );
  });

  test("status shows a failed job without throwing, and can shorten its life", () =>
    playing(
      [
        {
          request: `GET ${AT}/status/${JOB}?ttl=6000`,
          reply: json({
            id: JOB,
            status: "FAILED",
            error: "boom",
            failure: { type: "handler_error", message: "boom" },
          }),
        },
        {
          request: `GET ${AT}/status/a%2Fb`,
          reply: json({ id: "a/b", status: "IN_PROGRESS", output: 0.5 }),
        },
      ],
      async ({ endpoint }) => {
        expect(await endpoint.status(JOB, { ttlMs: 6000 })).toMatchObject({
          status: "FAILED",
          failure: { type: "handler_error" },
        });
        expect(await endpoint.status("a/b")).toEqual({
          id: "a/b",
          status: "IN_PROGRESS",
          output: 0.5,
        });
      },
    ));

  test("cancel, retry and purge-queue send no body", () =>
    playing(
      [
        { request: `POST ${AT}/cancel/${JOB}`, reply: json({ id: JOB, status: "CANCELLED" }) },
        { request: `POST ${AT}/retry/${JOB}`, reply: json({ id: JOB, status: "IN_QUEUE" }) },
        { request: `POST ${AT}/purge-queue`, reply: json({ removed: 2, status: "completed" }) },
      ],
      async ({ endpoint }) => {
        expect(await endpoint.cancel(JOB)).toEqual({ id: JOB, status: "CANCELLED" });
        expect(await endpoint.retry(JOB)).toEqual({ id: JOB, status: "IN_QUEUE" });
        expect(await endpoint.purgeQueue()).toEqual({ removed: 2, status: "completed" });
      },
    ));

  test("health returns all counts, including unknown ones", () => {
    const health = {
      jobs: { completed: 1, failed: 2, inProgress: 3, inQueue: 4, retried: 5 },
      workers: { idle: 1, running: 2, throttled: 3 },
    };
    return playing([{ request: `GET ${AT}/health`, reply: json(health) }], async ({ endpoint }) => {
      expect(await endpoint.health()).toEqual(health);
    });
  });

  test("the path of the base URL is kept", async () => {
    await playing(
      [{ request: `GET /live/v2/e/status/j`, reply: json({ id: "j", status: "IN_QUEUE" }) }],
      async (scene) => {
        const { createClient } = await import("../../../runtime/client/index.ts");
        await using client = createClient({
          baseUrl: `${scene.baseUrl}/live/`,
          apiKey: "test-key",
          endpointId: "e",
        });
        expect((await client.endpoint().status("j")).status).toBe("IN_QUEUE");
      },
    );
  });

  test("only a COMPLETED job's output has the endpoint's output type", () => {
    type Hello = EndpointClient<{ name: string }, { greeting: string }, string>;
    expectTypeOf<Parameters<Hello["run"]>[0]>().toEqualTypeOf<{ name: string }>();
    expectTypeOf<Awaited<ReturnType<Hello["runSync"]>>["output"]>().toEqualTypeOf<{
      greeting: string;
    }>();
    expectTypeOf<Extract<Job<number>, { status: "COMPLETED" }>>().toEqualTypeOf<
      CompletedJob<number>
    >();
    expectTypeOf<Extract<Job<number>, { status: "FAILED" }>>().toEqualTypeOf<never>();
    expectTypeOf<Exclude<Job<number>, CompletedJob<number>>["output"]>().toEqualTypeOf<unknown>();
  });
});
