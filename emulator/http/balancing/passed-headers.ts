/** Headers that are passed on between a client and a worker's server, and headers that are added. */
import type { IncomingMessage } from "node:http";
import { AFFINITY_HEADER } from "../../core/balancing/choose-worker.ts";
import { SANDBOX } from "../../net/sandbox.ts";
import type { SeenRequest } from "../operation/access/caller-check.ts";
import { isSessionCookie, withoutSessions } from "../operation/access/dashboard-access.ts";
import { clientAddress } from "../operation/forwarded-request.ts";
import { endToEndHeaders } from "../replicas/end-to-end-headers.ts";
import type { BalancedTarget } from "./target.ts";

/** Headers that affect the whole origin of an answer, or override the sandbox. */
const ABOUT_ORIGIN = new Set([
  "clear-site-data",
  "service-worker-allowed",
  "x-content-type-options",
]);

/**
 * The headers for the worker's server. The key and the dashboard's cookie are left out, because they are meant for this
 * service; `Host` stays. Headers about proxies stay only if the peer is trusted.
 * @param upgrade the protocol to upgrade to; default: none
 */
export function headersForWorker(
  request: IncomingMessage,
  seen: SeenRequest,
  target: BalancedTarget,
  upgrade?: string,
): string[] {
  const { headers } = request;
  const passed = endToEndHeaders(request.rawHeaders, headers.connection)
    .filter(([name]) => !isReplaced(name.toLowerCase(), seen.isForwarded))
    .flatMap(withoutDashboard);
  const known = new Set(passed.map(([name]) => name.toLowerCase()));
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !known.has(name.toLowerCase())) passed.push([name, value]);
  };
  const before = seen.isForwarded ? (headers["x-forwarded-for"] ?? "") : "";
  const chain = [...[before].flat(), clientAddress(request)];
  add("X-Forwarded-For", chain.filter((address) => address !== "").join(", "));
  add("X-Forwarded-Proto", seen.scheme);
  add("X-Forwarded-Host", seen.host);
  if (target.prefix !== "") add("X-Forwarded-Prefix", target.prefix);
  const encoding = headers["transfer-encoding"];
  if (encoding !== undefined) passed.push(["Transfer-Encoding", encoding]);
  else if (hasNoLength(request)) passed.push(["Content-Length", "0"]);
  if (upgrade === undefined) passed.push(["Connection", "close"]);
  else passed.push(["Connection", "Upgrade"], ["Upgrade", upgrade]);
  return passed.flat();
}

/**
 * @param upgraded keeps the headers of an upgrade
 * @param withTrailers keeps the headers that announce trailers
 */
export function headersForClient(
  answer: IncomingMessage,
  { workerId, target }: { readonly workerId: string; readonly target: BalancedTarget },
  { upgraded = false, withTrailers = true } = {},
): string[] {
  const sharesOrigin = target.prefix !== "";
  const passed = endToEndHeaders(answer.rawHeaders, answer.headers.connection).filter(
    ([name, value]) => {
      const known = name.toLowerCase();
      if (sharesOrigin && isAboutOrigin(known, value)) return false;
      return known !== AFFINITY_HEADER && (withTrailers || known !== "trailer");
    },
  );
  // A browser also applies the policy of the worker's server.
  if (sharesOrigin) passed.push(...Object.entries(SANDBOX));
  passed.push(["Sv-Worker-Id", workerId]);
  if (upgraded) {
    passed.push(["Connection", "Upgrade"], ["Upgrade", answer.headers.upgrade ?? "websocket"]);
  }
  return passed.flat();
}

/** Whether a header of an answer changes what a browser stores for the dashboard, or loosens the sandbox. */
function isAboutOrigin(name: string, value: string): boolean {
  return ABOUT_ORIGIN.has(name) || (name === "set-cookie" && isSessionCookie(value));
}

function withoutDashboard([name, value]: [string, string]): [string, string][] {
  const left = name.toLowerCase() === "cookie" ? withoutSessions(value) : value;
  return left === undefined ? [] : [[name, left]];
}

/** Methods of requests that should state that they have no body. */
function hasNoLength({ method = "", headers }: IncomingMessage): boolean {
  return ["POST", "PUT", "PATCH"].includes(method) && headers["content-length"] === undefined;
}

function isReplaced(name: string, isForwarded: boolean): boolean {
  if (name === "authorization" || name === "x-forwarded-for") return true;
  return !isForwarded && (name === "forwarded" || name.startsWith("x-forwarded-"));
}
