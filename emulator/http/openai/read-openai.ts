/** `GET /openai/v1/*`: the same without a body, for example the list of models (live). */
import type { Operation } from "../operation.ts";
import { OPENAI_CONTRACT } from "./contract.ts";
import { refusalAnswer } from "./openai-error.ts";
import { type OpenAiPath, receiveRequest } from "./read-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

export const readOpenai: Operation<OpenAiPath> = {
  methods: ["GET", "DELETE"],
  path: "/v2/:endpointId/openai/v1/*",
  body: "read",
  refusal: refusalAnswer,
  contract: OPENAI_CONTRACT,
  async perform(call) {
    call.service.engine.directory.queue(call.path.endpointId);
    const { submission } = await receiveRequest(call);
    return wholeAnswer(call, submission);
  },
};
