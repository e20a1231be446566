// An example of a handler for `/openai/v1`: it answers calls of OpenAI clients with a tiny model.
import type { Context, Job, OpenAiCall } from "sv-runtime";
import { chatAnswer, chatEvents, completion, embeddings, modelList } from "./answers.ts";
import { CallError, readModel } from "./call.ts";

/** Maximum number of simultaneous jobs of a process. */
export const concurrency = 16;

/** A call without a stream is answered with the only yielded value. */
export const aggregate = true;

export default async function* openaiChat(
  { id, input }: Job<OpenAiCall>,
  { signal }: Context,
): AsyncGenerator<object> {
  try {
    for (const answer of answersTo(id, input)) {
      signal.throwIfAborted();
      yield answer;
    }
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    // Yielded instead of thrown, because the client's mistake is no failure of the job.
    yield { error: error.toBody() };
  }
}

function answersTo(id: string, { openai_route, openai_input = {} }: OpenAiCall) {
  switch (openai_route) {
    case "/v1/models":
      return [modelList()];
    case "/v1/chat/completions":
      readModel(openai_input);
      return openai_input["stream"] === true
        ? chatEvents(id, openai_input)
        : [chatAnswer(id, openai_input)];
    case "/v1/completions":
      readModel(openai_input);
      return [completion(id, openai_input)];
    case "/v1/embeddings":
      readModel(openai_input);
      return [embeddings(openai_input)];
    default:
      throw new CallError(404, "route_not_found", `${openai_route} is not answered here.`);
  }
}
