// Answers calls of OpenAI clients with a model of a few lines: what a handler behind `/openai/v1` looks like.
import type { Context, Job, OpenAiCall } from "sv-runtime";
import { chatAnswer, chatEvents, completion, embeddings, modelList } from "./answers.ts";
import { CallError, readModel } from "./call.ts";

/** Jobs that one process answers at a time. */
export const concurrency = 16;

/** A call without a stream is answered with the one thing that was yielded. */
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
    // Not thrown: the client's mistake is no failure of the job.
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
