/** Operations on service time. */
import { advanceSchema, readAdvanceMs } from "../../../core/time/advance-input.ts";
import { dueInWords, type DueMoment, idsOf } from "../../../core/time/due.ts";
import { advanceClock, type ClockReading, readClock } from "../../../engine/time/advance-clock.ts";
import { dueMoments } from "../../../engine/time/due-moments.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { ClientWait } from "../../operation/requests/client-wait.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { advancedClockSchema, clockSchema, heldClockSchema } from "../../schemas/clock.ts";
import { json } from "../../schemas/contract.ts";
import { iso } from "../../../core/time/iso.ts";

const DUE_MAX = 20;

const read: Operation = {
  methods: ["GET"],
  path: "/emulator/clock",
  owner: "any",
  access: "admin",
  contract: { tag: "emulator", answers: { 200: json("The clock.", clockSchema) } },
  async perform({ service: { engine } }) {
    const due = await dueMoments(engine, DUE_MAX);
    return jsonAnswer({ ...clockBody(readClock(engine)), due: due.map(dueBody) });
  },
};

const advance: Operation = {
  methods: ["POST"],
  path: "/emulator/clock",
  owner: "any",
  body: "read",
  access: "admin",
  contract: {
    tag: "emulator",
    takes: advanceSchema,
    answers: { 200: json("The clock, and whether all work has settled.", advancedClockSchema) },
    errors: ["storage_full"],
  },
  async perform({ service, request, response }) {
    const byMs = readAdvanceMs(await readJsonBody(request, response));
    using wait = new ClientWait(service, response);
    const { settled, underWay, ...reading } = await advanceClock(service.engine, byMs, wait.signal);
    const body = { ...clockBody(reading), settled, underWay };
    return { ...jsonAnswer(body), subject: `+${byMs} ms` };
  },
};

const hold: Operation = {
  methods: ["POST"],
  path: "/emulator/clock/hold",
  owner: "any",
  access: "admin",
  contract: { tag: "emulator", answers: { 200: json("What is held.", heldClockSchema) } },
  async perform({ service: { engine } }) {
    const { clock } = engine;
    clock.hold();
    return jsonAnswer({ ...clockBody(readClock(engine)), heldBackMs: clock.heldBackMs });
  },
};

function dueBody({ at, due }: DueMoment) {
  return { at: iso(at), kind: due.type, what: dueInWords(due), ...idsOf(due) };
}

export const CLOCK_OPERATIONS = {
  /** `GET /emulator/clock`: service time, its lead over real time, and the next due moment. */
  readClock: read,
  /** `POST /emulator/clock`: advances service time; answers when the work that it caused is over. */
  advanceClock: advance,
  /** `POST /emulator/clock/hold`: holds deletions that are due only because the clock was ahead at the start (ours). */
  holdDeletions: hold,
};

/** The clock in answers; `nextDueAt` is null while nothing is due. */
function clockBody({ now, offsetMs, nextDueAt }: ClockReading) {
  return {
    now: iso(now),
    nowMs: now,
    offsetMs,
    nextDueAt: nextDueAt === undefined ? null : iso(nextDueAt),
  };
}
