// The calls of OpenAI clients that this endpoint answers. Any other call is refused with 400 before the handler is called.
import { z } from "zod";

const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.string(),
});

/** Other fields are accepted and ignored. */
const chatRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean().default(false) }).nullish(),
});

export const input = z.discriminatedUnion("openai_route", [
  z.object({ openai_route: z.literal("/v1/models") }),
  z.object({ openai_route: z.literal("/v1/chat/completions"), openai_input: chatRequest }),
]);

export type Message = z.infer<typeof message>;
