/** `POST /emulator/clock`: advances service time; answers when the work this set off has settled. */
import { advanceSchema, readAdvanceMs } from "../../core/advance-input.ts";
import { advanceClock as advance } from "../../engine/advance-clock.ts";
import { jsonAnswer } from "../answer.ts";
import { ClientWait } from "../client-wait.ts";
import { advancedClockSchema } from "../contract/clock.ts";
import { json } from "../contract/contract.ts";
import { readJsonBody } from "../json-body.ts";
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
