/**
 * Images that serve the OpenAI API on the live service: generators that yield event texts, split anywhere, or one
 * object.
 */
import { expect, it } from "vitest";
import { LiveScene } from "./live-scene.ts";

const CHAT = "/live/v2/echo/openai/v1/chat/completions";

/** Calls the API, and takes the job for it like a worker. */
async function called(body: object) {
  const scene = await LiveScene.set();
  const answer = fetch(`${scene.service.url}${CHAT}`, {
    method: "POST",
    headers: { authorization: "Bearer test-key" },
    body: JSON.stringify(body),
  });
  const job = await scene.worker.take();
  return { scene, worker: scene.worker, answer, id: job?.id ?? "", input: job?.input };
}

it("a stream has the yielded texts, joined unchanged", async () => {
  const body = { model: "m", stream: true };
  const { scene, worker, answer, id, input } = await called(body);
  await using _ = scene;
  expect(input).toEqual({ openai_route: "/v1/chat/completions", openai_input: body });
  const events = 'data: {"choices":[{"delta":{"content":"grüß"}}]}\n\ndata: {"n":2}\n\n';
  const texts = [events.slice(0, 17), events.slice(17), "data: [DO", "NE]\n\n"];
  for (const text of texts) await worker.stream(id, text);
  await worker.done(id, { output: texts }, true);
  const { status, headers } = await answer;
  expect(status).toBe(200);
  expect(headers.get("content-type")).toContain("text/event-stream");
  expect(await (await answer).text()).toBe(`${events}data: [DONE]\n\n`);
});

const completion = { object: "chat.completion", choices: [] };

it.each([
  ["collected", [completion]],
  ["not collected", []],
])("an answer is the one yielded object, %s", async (_name, output) => {
  const { scene, worker, answer, id } = await called({ model: "m" });
  await using _ = scene;
  await worker.stream(id, completion);
  await worker.done(id, { output }, true);
  const { status } = await answer;
  expect(status).toBe(200);
  expect(await (await answer).json()).toEqual(completion);
});

it.each([
  ["a value", { message: "context is too long", type: "worker_error", code: 400 }],
  ["a text", "context is too long"],
])("an error that is %s becomes a server error with the worker's message", async (_name, error) => {
  const { scene, worker, answer, id } = await called({ model: "m" });
  await using _ = scene;
  await worker.done(id, { error }, true);
  const { status } = await answer;
  expect(status).toBe(500);
  expect(await (await answer).json()).toMatchObject({ error: { message: "context is too long" } });
});
