/** The operations that open and end the dashboard for a browser. */
import { z } from "zod";
import { DASHBOARD_MODES } from "../../core/access/dashboard-mode.ts";
import { fields, readFields, secretText } from "../../core/input/input-fields.ts";
import { ServiceError } from "../../core/service-error.ts";
import { jsonAnswer } from "../answers/answer.ts";
import type { Call, Operation } from "../operation.ts";
import { readJsonBody } from "../requests/json-body.ts";
import { answered, json, noContent } from "../schemas/contract.ts";
import { isByDashboard } from "./dashboard-access.ts";

const sessionSchema = answered("DashboardSession", {
  dashboard: z.enum(DASHBOARD_MODES).exclude(["off"]),
});

const ticketSchema = answered("DashboardTicket", {
  ticket: z.string().meta({ description: "Opens `/?ticket=…` once, within ten minutes." }),
});

const MOST_CHARACTERS = 4_096;

/** One of both. */
const entrySchema = fields({
  ticket: secretText(MOST_CHARACTERS).optional(),
  key: secretText(MOST_CHARACTERS).optional(),
});

const begin: Operation = {
  methods: ["POST"],
  path: "/emulator/session",
  access: "anyone",
  body: "read",
  contract: {
    tag: "emulator",
    takes: entrySchema,
    answers: { 201: json("The session; its cookie comes with it.", sessionSchema) },
    errors: ["unauthorized", "not_found"],
  },
  async perform(call) {
    const { service, request, response } = call;
    checkIsOn(call);
    if (!isByDashboard(request) || !service.callers.isOwnPage(request)) {
      throw new ServiceError("unauthorized", "sessions are for the dashboard; send the API key");
    }
    const body = await readJsonBody(request, response);
    const { ticket, key } = readFields(entrySchema, ["ticket", "key"], body);
    const isAdmin = key !== undefined && service.keys.find(key)?.scope === "admin";
    const isGood = isAdmin || (ticket !== undefined && service.dashboard.useTicket(ticket));
    if (!isGood) throw new ServiceError("unauthorized", key === undefined ? STALE : WRONG);
    const cookie = service.dashboard.begin(request, service.callers.seen(request).scheme);
    return { ...stateOf(call), status: 201, headers: { "set-cookie": cookie } };
  },
};

const STALE =
  "the link was used before, or is older than ten minutes: `sv-emulate open` prints a new one";
const WRONG = "the key is wrong, or does not open the emulator's own operations";

const read: Operation = {
  methods: ["GET"],
  path: "/emulator/session",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("What the dashboard may be used for.", sessionSchema) },
    errors: ["not_found"],
  },
  async perform(call) {
    checkIsOn(call);
    return stateOf(call);
  },
};

const end: Operation = {
  methods: ["DELETE"],
  path: "/emulator/session",
  access: "anyone",
  contract: { tag: "emulator", answers: { 204: noContent("The session has ended.") } },
  async perform({ service, request }) {
    if (!isByDashboard(request)) return { status: 204, pieces: [] };
    return { status: 204, pieces: [], headers: { "set-cookie": service.dashboard.end(request) } };
  },
};

const issue: Operation = {
  methods: ["POST"],
  path: "/emulator/tickets",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 201: json("A ticket.", ticketSchema) },
    errors: ["not_found"],
  },
  async perform(call) {
    checkIsOn(call);
    return { ...jsonAnswer({ ticket: call.service.dashboard.issueTicket() }), status: 201 };
  },
};

function checkIsOn({ service }: Call<unknown>): void {
  if (service.dashboard.isOff) {
    throw new ServiceError("not_found", "the dashboard was turned off at the start");
  }
}

function stateOf({ service }: Call<unknown>) {
  return jsonAnswer({ dashboard: service.dashboard.mode });
}

export const SESSION_OPERATIONS = {
  /** `POST /emulator/session`: opens the dashboard for a browser by a ticket or the admin key, and answers a cookie for it (ours). */
  beginSession: begin,
  /** `GET /emulator/session`: what the dashboard may be used for (ours). */
  readSession: read,
  /** `DELETE /emulator/session`: ends the session of a browser (ours). */
  endSession: end,
  /** `POST /emulator/tickets`: makes a ticket that opens the dashboard once (ours). */
  issueTicket: issue,
};
