/** Operations that open and end a browser's session of the dashboard. */
import { z } from "zod";
import type { ApiKey } from "../../../core/access/api-key.ts";
import { DASHBOARD_MODES } from "../../../core/access/dashboard-mode.ts";
import { checkOpens } from "../../../core/access/key-scope.ts";
import { fields, readFields, secretText } from "../../../core/input/input-fields.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { admit, goodKey, keyOfOpener } from "../../operation/access/admission.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Call, Operation } from "../../operation/operation.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { answered, json, noContent } from "../../schemas/contract.ts";
import type { HttpService } from "../../operation/service.ts";
import { isByDashboard } from "../../operation/access/dashboard-access.ts";

const sessionSchema = answered("DashboardSession", {
  dashboard: z.enum(DASHBOARD_MODES).exclude(["off"]),
});

const ticketSchema = answered("DashboardTicket", {
  ticket: z.string().meta({ description: "Opens `/?ticket=…` once, within ten minutes." }),
});

const MOST_CHARACTERS = 4_096;

const entrySchema = fields({
  ticket: secretText(MOST_CHARACTERS).optional(),
  key: secretText(MOST_CHARACTERS).optional(),
});

const begin: Operation = {
  methods: ["POST"],
  path: "/emulator/session",
  owner: "any",
  access: "anyone",
  body: "read",
  contract: {
    tag: "emulator",
    takes: entrySchema,
    answers: { 201: json("The session; the answer sets its cookie.", sessionSchema) },
    errors: ["unauthorized", "key_expired", "insufficient_scope", "not_found"],
  },
  async perform(call) {
    const { service, request, response } = call;
    checkIsOn(call);
    if (!isByDashboard(request) || !service.callers.isOwnPage(request)) {
      throw new ServiceError("unauthorized", "sessions are for the dashboard; send the API key");
    }
    const body = await readJsonBody(request, response);
    const { ticket, key } = readFields(entrySchema, ["ticket", "key"], body);
    const opener = key === undefined ? ofTicket(service, ticket) : ofKey(service, key);
    const { scheme } = service.callers.seen(request);
    const cookie = service.dashboard.begin(request, opener.id, scheme);
    return { ...stateOf(call, opener), status: 201, headers: { "set-cookie": cookie } };
  },
};

const STALE =
  "the link was used before, or is older than ten minutes: `sv-emulate open` prints a new one";

function ofTicket(service: HttpService, ticket = ""): ApiKey {
  const keyId = service.dashboard.useTicket(ticket);
  const key = keyId === undefined ? undefined : keyOfOpener(service, keyId);
  if (key === undefined) throw new ServiceError("unauthorized", STALE);
  return key;
}

function ofKey(service: HttpService, text: string): ApiKey {
  const key = goodKey(service, text);
  checkOpens(key, { part: "own", reads: true });
  return key;
}

const read: Operation = {
  methods: ["GET"],
  path: "/emulator/session",
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The allowed use of the dashboard.", sessionSchema) },
    errors: ["not_found"],
  },
  async perform(call) {
    checkIsOn(call);
    return stateOf(call, admit(call.service, call.request));
  },
};

const end: Operation = {
  methods: ["DELETE"],
  path: "/emulator/session",
  owner: "any",
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
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 201: json("A ticket.", ticketSchema) },
    errors: ["not_found"],
  },
  async perform(call) {
    checkIsOn(call);
    const { service, request } = call;
    const ticket = service.dashboard.issueTicket(admit(service, request)?.id);
    return { ...jsonAnswer({ ticket }), status: 201 };
  },
};

function checkIsOn({ service }: Call<unknown>): void {
  if (service.dashboard.isOff) {
    throw new ServiceError("not_found", "the dashboard was turned off at the start");
  }
}

function stateOf({ service }: Call<unknown>, key: ApiKey | undefined) {
  const isReadOnly = key?.scope === "read-only";
  return jsonAnswer({ dashboard: isReadOnly ? "read-only" : service.dashboard.mode });
}

export const SESSION_OPERATIONS = {
  /** `POST /emulator/session`: opens the dashboard for a browser with a ticket or a key, and answers with a cookie (ours). */
  beginSession: begin,
  /** `GET /emulator/session`: the allowed use of the dashboard (ours). */
  readSession: read,
  /** `DELETE /emulator/session`: ends a browser's session (ours). */
  endSession: end,
  /** `POST /emulator/tickets`: creates a ticket that opens the dashboard once (ours). */
  issueTicket: issue,
};
