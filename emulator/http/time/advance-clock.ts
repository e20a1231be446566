/** `POST /emulator/clock`: advances service time; answers when the work this set off has settled. */
import { advanceSchema, readAdvanceMs } from "../../core/time/advance-input.ts";
import { advanceClock as advance } from "../../engine/time/advance-clock.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { ClientWait } from "../requests/client-wait.ts";
import { advancedClockSchema } from "../schemas/clock.ts";
import { json } from "../schemas/contract.ts";
import { readJsonBody } from "../requests/json-body.ts";
import type { Operation } from "../operation.ts";
import { clockBody } from "./clock-body.ts";

export const advanceClock: Operation = {
  methods: ["POST"],
  path: "/emulator/clock",
  body: "read",
  access: "admin",
  contract: {
    tag: "emulator",
    takes: advanceSchema,
    answers: { 200: json("The clock, and whether all has settled.", advancedClockSchema) },
    errors: ["storage_full"],
  },
  async perform({ service, request, response }) {
    const byMs = readAdvanceMs(await readJsonBody(request, response));
    using wait = new ClientWait(service, response);
    const { settled, underWay, ...reading } = await advance(service.engine, byMs, wait.signal);
    return jsonAnswer({ ...clockBody(reading), settled, underWay });
  },
};
