/** A pushed answer is marked for proxies and browsers, in every operation that pushes. */
import { expect, test } from "vitest";
import { ALL_DOCUMENTED, type DocumentedOperation } from "../../documented.ts";
import { KEY, startTestHttp } from "../../http-harness.ts";

const PUSHED_TYPES = ["text/event-stream", "application/x-ndjson"];

/** Every operation and type that the documents show as pushed. An OpenAI call without a body requests no stream. */
const pushed = ALL_DOCUMENTED.filter(
  ({ method, path }) => !path.includes("/openai/") || !["GET", "DELETE"].includes(method),
).flatMap(({ method, path, operation }) =>
  PUSHED_TYPES.filter((type) => type in contentOf(operation)).map((type) => ({
    ...{ method, path, type },
  })),
);

function contentOf({ responses }: DocumentedOperation["operation"]): object {
  const answer = responses?.["200"] as { readonly content?: object } | undefined;
  return answer?.content ?? {};
}

test("the documents show pushed answers in each dialect", () => {
  const paths = new Set(pushed.map(({ path }) => path));
  expect(paths).toContain("/v2/{endpointId}/stream/{jobId}");
  expect(paths).toContain("/live/v2/pods/{podId}/logs");
  expect(paths).toContain("/emulator/logs");
});

test.each(pushed)("$method $path as $type is marked", async ({ method, path, type }) => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker("echo", { credit: 2 });
  const submitted = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  const pod = { imageName: "me/box:1", computeType: "CPU" };
  const made = await service.call("POST", "/v1/pods", { body: pod });
  const values = {
    endpointId: "echo",
    jobId: idOf(submitted.json),
    podId: idOf(made.json),
    workerId: worker.worker.id,
    path: "chat/completions",
  };
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: keyof typeof values) => values[name]);
  await worker.nextJob();
  const answering = fetch(`${service.url}${filled}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, accept: type },
    ...(method === "GET" ? {} : { body: '{"stream": true, "input": {}}' }),
  });
  // An OpenAI call has its own job, and its answer begins with its first chunk.
  if (path.includes("/openai/")) await worker.chunks(await worker.nextJob(), [{ delta: "a" }]);
  const answer = await answering;
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain(type);
  expect(answer.headers.get("cache-control")).toBe("no-cache");
  expect(answer.headers.get("x-accel-buffering")).toBe("no");
  await answer.body?.cancel();
});

function idOf(json: unknown): string {
  return (json as { readonly id: string }).id;
}
