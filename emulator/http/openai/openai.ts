/** Operations that answer like the OpenAI API. Their meaning is up to the handler and the client. */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Operation } from "../operation/operation.ts";
import { anyJson, type Contract } from "../schemas/contract.ts";
import { eventAnswer } from "./event-answer.ts";
import { openAiErrorSchema, refusalAnswer } from "./openai-error.ts";
import { type OpenAiPath, receiveRequest } from "./read-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

const contract: Contract = {
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

/** All other members are for the handler. */
const bodySchema = z.looseObject({ stream: z.unknown().optional() }).meta({ id: "OpenAiRequest" });

const ask: Operation<OpenAiPath> = {
  methods: ["POST", "PUT", "PATCH"],
  path: "/v2/:endpointId/openai/v1/*",
  body: "read",
  rateLimit: "openai",
  submits: "sync",
  waitMs: () => LIMITS.waitMaxMs,
  refusal: refusalAnswer,
  contract: { ...contract, takes: bodySchema },
  async perform(call) {
    call.service.engine.directory.queue(call.path.endpointId);
    const { submission, wantsStream } = await receiveRequest(call);
    return wantsStream ? eventAnswer(call, submission) : wholeAnswer(call, submission);
  },
};

const read: Operation<OpenAiPath> = {
  methods: ["GET", "DELETE"],
  path: "/v2/:endpointId/openai/v1/*",
  body: "read",
  // The request is a job.
  reads: false,
  submits: "sync",
  waitMs: () => LIMITS.waitMaxMs,
  refusal: refusalAnswer,
  contract,
  async perform(call) {
    call.service.engine.directory.queue(call.path.endpointId);
    const { submission } = await receiveRequest(call);
    return wholeAnswer(call, submission);
  },
};

export const OPENAI_OPERATIONS = {
  /** `POST /openai/v1/*`: a call of the OpenAI API, answered by the handler in that API's form (live). */
  askOpenai: ask,
  /** `GET /openai/v1/*`: a call without a body, for example the list of models (live). */
  readOpenai: read,
};
