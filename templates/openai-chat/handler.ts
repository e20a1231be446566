// The handler: each call of an OpenAI client is a job. The yielded values are the answer, in the format of the OpenAI API.
import { defineHandler } from "sv-runtime";
import { loadModel, MODEL_ID, tokensOf } from "./model.ts";
import { input, type Message } from "./schema.ts";

export default defineHandler({
  input,
  /** The answer of a call without a stream is the one value that is yielded. */
  aggregate: true,
  /** Maximum number of calls at a time in one process. */
  concurrency: 8,
  /** Once in each handler process, before its first job. */
  setup: loadModel,
  async *run({ id, input: call }, { state: model, signal }) {
    const created = Math.floor(Date.now() / 1_000);
    if (call.openai_route === "/v1/models") {
      const only = { id: MODEL_ID, object: "model", created, owned_by: "my-endpoint" };
      yield { object: "list", data: [only] };
      return;
    }
    const { model: wanted, messages, stream, stream_options } = call.openai_input;
    if (wanted !== MODEL_ID) {
      const said = `There is no model ${JSON.stringify(wanted)}; there is ${MODEL_ID}.`;
      // Yielded, not thrown: an invalid request is no failure of the job.
      yield { error: { message: said, code: "model_not_found", status: 404 } };
      return;
    }
    const frame = { id: `chatcmpl-${id}`, created, model: MODEL_ID };
    if (stream) {
      const wantsUsage = stream_options?.include_usage === true;
      const events = { ...frame, ...(wantsUsage && { usage: null }) };
      let tokens = 0;
      for await (const content of model.answer(messages, signal)) {
        tokens += 1;
        yield streamed(events, { role: "assistant", content }, null);
      }
      yield streamed(events, {}, "stop");
      // The last event has no choices: clients read only the usage from it.
      if (wantsUsage) yield { ...streamed(events), usage: usageOf(messages, tokens) };
      return;
    }
    const tokens = await Array.fromAsync(model.answer(messages, signal));
    const message = { role: "assistant", content: tokens.join("") };
    yield {
      ...frame,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: usageOf(messages, tokens.length),
    };
  },
});

function usageOf(messages: readonly Message[], completion_tokens: number): object {
  const prompt_tokens = messages.flatMap(({ content }) => tokensOf(content)).length;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** One event of a stream, without a choice if `delta` is undefined. */
function streamed(frame: object, delta?: object, finish_reason: "stop" | null = null): object {
  const choices = delta === undefined ? [] : [{ index: 0, delta, finish_reason }];
  return { ...frame, object: "chat.completion.chunk", choices };
}
