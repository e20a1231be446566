/** `POST /openai/v1/*`: a call as to the OpenAI API, answered by the handler as that API answers (live). */
import { z } from "zod";
import type { Operation } from "../operation.ts";
import { OPENAI_CONTRACT } from "./contract.ts";
import { eventAnswer } from "./event-answer.ts";
import { refusalAnswer } from "./openai-error.ts";
import { type OpenAiPath, receiveRequest } from "./read-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

/** Everything else is for the handler. */
const bodySchema = z.looseObject({ stream: z.unknown().optional() }).meta({ id: "OpenAiRequest" });

export const askOpenai: Operation<OpenAiPath> = {
  methods: ["POST", "PUT", "PATCH"],
  path: "/v2/:endpointId/openai/v1/*",
  body: "read",
  rateLimit: "openai",
  refusal: refusalAnswer,
  contract: { ...OPENAI_CONTRACT, takes: bodySchema },
  async perform(call) {
    call.service.engine.directory.queue(call.path.endpointId);
    const { submission, wantsStream } = await receiveRequest(call);
    return wantsStream ? eventAnswer(call, submission) : wholeAnswer(call, submission);
  },
};
