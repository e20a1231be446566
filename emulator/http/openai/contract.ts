/** What the OpenAI operations answer: whatever the handler does, which is the business of handler and client. */
import { anyJson, type Contract } from "../schemas/contract.ts";
import { openAiErrorSchema } from "./openai-error.ts";

export const OPENAI_CONTRACT: Contract = {
  tag: "openai",
  answers: {
    200: {
      description: "The handler's answer.",
      content: {
        "application/json": anyJson(),
        "text/event-stream":
          'The handler\'s chunks as events, at last `data: [DONE]`; with `"stream": true`.',
      },
    },
  },
  errorBody: openAiErrorSchema,
};
