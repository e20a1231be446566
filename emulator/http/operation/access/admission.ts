/** First checks of every request to an operation: valid headers, then a valid key. */
import type { IncomingMessage } from "node:http";
import type { ApiKey } from "../../../core/access/api-key.ts";
import { checkOpens, type Need, opens } from "../../../core/access/key-scope.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { DASHBOARD_KEY_NAME } from "../../../engine/access/service-keys.ts";
import { isByDashboard, LINK_KEY_ID } from "./dashboard-access.ts";
import { forwardedRequestOf } from "../forwarded-request.ts";
import type { Keyless } from "../operation.ts";
import type { HttpService } from "../service.ts";

/**
 * Returns the key of the request. Undefined for operations without a key, and for workers, which authenticate in another way.
 * @param need the permission that the key must have; default: any good key, except one for workers
 * @throws ServiceError invalid_header, unauthorized, key_expired, insufficient_scope, dashboard_read_only, shutting_down
 */
export function admit(
  service: HttpService,
  request: IncomingMessage,
  need?: Need | Keyless,
): ApiKey | undefined {
  checkHeaders(request);
  // Workers authenticate in another way, and may report until they have exited.
  if (need === "worker" || need === "probe") return undefined;
  const key = need === "anyone" ? undefined : keyOf(service, request, need);
  if (service.stopping && service.isStoppingFor(request))
    throw new ServiceError("shutting_down", "the service is stopping");
  return key;
}

/** Whether the request has a key with that permission. For open operations that show more with a key. */
export function hasKeyFor({ keys }: HttpService, { headers }: IncomingMessage, need: Need) {
  const text = bareKey(headers.authorization);
  const key = text === undefined ? undefined : keys.find(text);
  return key !== undefined && opens(key, need);
}

function checkHeaders({ rawHeaders, headers }: IncomingMessage): void {
  let keys = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length !== 13 || name.toLowerCase() !== "authorization") continue;
    keys += 1;
    // With two headers it is unclear which one counts.
    if (keys > 1) throw invalidHeader(`there is more than one ${name} header`);
  }
  const { expect } = headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    throw invalidHeader(`the header Expect: ${expect} cannot be fulfilled`);
  }
}

/** The key, alone or after `Bearer` (spec); undefined without one. */
export function bareKey(header: string | undefined): string | undefined {
  return header === "" ? undefined : header?.replace(/^bearer +/i, "");
}

/** A cookie counts only for the dashboard's scripts, because browsers send it for any page. */
function keyOf(service: HttpService, request: IncomingMessage, need: Need | undefined): ApiKey {
  const { authorization } = request.headers;
  const isDashboard =
    authorization === undefined && isByDashboard(request) && !service.dashboard.isOff;
  const key = isDashboard ? sessionKey(service, request) : goodKey(service, authorization);
  if (isDashboard && service.dashboard.isReadOnly && need?.reads === false) {
    throw new ServiceError(
      "dashboard_read_only",
      "the dashboard is read-only, as the service was started with --dashboard read-only",
    );
  }
  checkOpens(key, need);
  return key;
}

function sessionKey(service: HttpService, request: IncomingMessage): ApiKey {
  const keyId = forwardedRequestOf(request)?.sessionKeyId ?? sessionKeyId(service, request);
  const key = keyId === undefined ? undefined : keyOfOpener(service, keyId);
  if (key !== undefined) return key;
  throw new ServiceError("unauthorized", "the dashboard has no session here, or it has ended", {
    topic: { type: "key_missing" },
  });
}

/** The key of the dashboard's session in a browser's request, if it is still valid. */
export function sessionKeyId(
  { callers, dashboard }: HttpService,
  request: IncomingMessage,
): string | undefined {
  return callers.isOwnPage(request) ? dashboard.keyIdOf(request) : undefined;
}

/** The key of a session that was opened by a link of the service: the admin's. */
const DASHBOARD_KEY: ApiKey = {
  id: LINK_KEY_ID,
  name: DASHBOARD_KEY_NAME,
  scope: "all",
  digest: "",
  createdAt: "",
};

/** The key of a ticket or session of the dashboard; undefined once it is no longer valid. */
export function keyOfOpener({ keys }: HttpService, keyId: string): ApiKey | undefined {
  return keyId === LINK_KEY_ID ? DASHBOARD_KEY : keys.findById(keyId);
}

/**
 * The key of an `Authorization` header, with any permission.
 * @throws ServiceError unauthorized, key_expired
 */
export function goodKey({ keys }: HttpService, header: string | undefined): ApiKey {
  const text = bareKey(header);
  if (text === undefined) throw noKey();
  const key = keys.findGood(text);
  if (key !== undefined) return key;
  throw new ServiceError("unauthorized", "the API key is wrong", { topic: { type: "key_wrong" } });
}

/** The refusal of a request without a key. */
export function noKey(): ServiceError {
  const message = "the API key is missing; send it as Authorization: Bearer KEY";
  return new ServiceError("unauthorized", message, { topic: { type: "key_missing" } });
}

function invalidHeader(message: string): ServiceError {
  return new ServiceError("invalid_header", message);
}
