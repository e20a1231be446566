/** The first checks of every request to an operation: valid headers, then a valid key. */
import type { IncomingMessage } from "node:http";
import type { ApiKey, KeyScope } from "../../core/access/api-key.ts";
import { ServiceError } from "../../core/service-error.ts";
import { isByDashboard } from "../dashboard/dashboard-access.ts";
import type { Access } from "../operation.ts";
import type { HttpService } from "../service.ts";

/** Of an operation: where it is called, and which keys open it. */
interface AdmittedTo {
  readonly path: string;
  readonly access?: Access;
}

/** Returns the key of the request. @throws ServiceError invalid_header, unauthorized, dashboard_read_only, shutting_down */
export function admit(
  service: HttpService,
  request: IncomingMessage,
  { access = "user", path }: AdmittedTo = { path: "" },
): ApiKey | undefined {
  checkHeaders(request);
  // Workers authenticate in another way, and may report until they have exited.
  if (access === "worker" || access === "probe") return undefined;
  const key = access === "anyone" ? undefined : keyOf(service, request, access, path);
  if (service.stopping) throw new ServiceError("shutting_down", "the service is stopping");
  return key;
}

/** Whether the request has a good key, for what anyone may ask and who has one is told more of. */
export function hasKey({ keys }: HttpService, { headers }: IncomingMessage): boolean {
  const key = bareKey(headers.authorization);
  return key !== undefined && keys.find(key) !== undefined;
}

function checkHeaders({ rawHeaders, headers }: IncomingMessage): void {
  let keys = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length !== 13 || name.toLowerCase() !== "authorization") continue;
    keys += 1;
    // It would be unclear which of them counts.
    if (keys > 1) throw invalidHeader(`there is more than one ${name} header`);
  }
  const { expect } = headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    throw invalidHeader(`the header Expect: ${expect} cannot be fulfilled`);
  }
}

/** The key may stand alone or after `Bearer` (spec); undefined if there is none. */
export function bareKey(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  return /^bearer +(.*)$/i.exec(header)?.[1] ?? header;
}

/** A cookie never counts by itself: browsers send it whichever page asks. */
function keyOf(
  service: HttpService,
  request: IncomingMessage,
  access: KeyScope,
  path: string,
): ApiKey {
  const { authorization } = request.headers;
  if (authorization !== undefined || !isByDashboard(request) || service.dashboard.isOff) {
    return checkKey(service, authorization, access);
  }
  if (!service.callers.isOwnPage(request) || !service.dashboard.knows(request)) {
    throw new ServiceError("unauthorized", "the dashboard has no session here, or it has ended", {
      topic: { type: "key_missing" },
    });
  }
  if (service.dashboard.isReadOnly && !isHarmless(request, path)) {
    throw new ServiceError(
      "dashboard_read_only",
      "the dashboard is read-only, as the service was started with --dashboard read-only",
    );
  }
  return DASHBOARD_KEY;
}

/** Stands for the admin's. */
const DASHBOARD_KEY: ApiKey = { id: "dashboard", scope: "admin", digest: "", createdAt: "" };

/** Operations on queues change something by `GET` as well: a stream that is read, a time to live that is set. */
function isHarmless({ method }: IncomingMessage, path: string): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && /^\/(?:v1|emulator)\//u.test(path) && path !== SECRET_PATH;
}

/** Who has the secret can forge calls. */
const SECRET_PATH = "/emulator/webhooks/secret";

function checkKey(service: HttpService, header: string | undefined, access: KeyScope): ApiKey {
  const key = bareKey(header);
  if (key === undefined) {
    throw new ServiceError(
      "unauthorized",
      "the API key is missing; send it as Authorization: Bearer KEY",
      { topic: { type: "key_missing" } },
    );
  }
  const found = service.keys.find(key);
  if (found === undefined || (access === "admin" && found.scope !== "admin")) {
    throw new ServiceError("unauthorized", "the API key is wrong", {
      topic: { type: "key_wrong" },
    });
  }
  return found;
}

function invalidHeader(message: string): ServiceError {
  return new ServiceError("invalid_header", message);
}
