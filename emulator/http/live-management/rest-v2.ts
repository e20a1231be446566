/** The second version of REST, which clients of the live service manage it by and which is not served yet: what does the same. Pure. */
import { STATUS_CODES } from "node:http";
import { ERROR_CODES, ServiceError } from "../../core/service-error.ts";
import type { Refusal } from "../dialect.ts";

/** By pattern (`*` is an id): what does the same, with `{method}` and `{id}` of the request; "" where nothing does. */
const INSTEAD: readonly (readonly [pattern: string, instead: string])[] = [
  ["pods", "{method} {v1}/pods"],
  ["pods/*", "{method} {v1}/pods/{id}"],
  ["pods/*/action", "POST {v1}/pods/{id}/start, /stop or /restart, or DELETE {v1}/pods/{id}"],
  ["pods/*/logs", ""],
  ["serverless", "{method} {v1}/endpoints"],
  ["serverless/*", "{method} {v1}/endpoints/{id}"],
  ["serverless/*/workers", "GET {v1}/endpoints/{id}?includeWorkers=true"],
  ["templates", "{method} {v1}/templates"],
  ["templates/*", "{method} {v1}/templates/{id}"],
  ["network-volumes", "{method} {v1}/networkvolumes"],
  ["network-volumes/*", "{method} {v1}/networkvolumes/{id}"],
  ["registries/delegations", ""],
  ["registries", "{method} {v1}/containerregistryauth"],
  ["registries/*", "{method} {v1}/containerregistryauth/{id}"],
  ["catalog/templates", "GET {v1}/templates?includePublicTemplates=true"],
  ["billing/pods", "GET {v1}/billing/pods"],
  ["billing/serverless", "GET {v1}/billing/endpoints"],
  ["billing/network-volumes", "GET {v1}/billing/networkvolumes"],
  ["openapi.json", "GET {v1}/openapi.json"],
];

/** Resources of which the rest has nothing that does the same. */
const RESOURCES = [
  ...["account", "billing", "catalog", "clusters", "network-volumes", "openapi.json"],
  ...["pods", "registries", "serverless", "templates"],
];

/** How such a request is refused if it is an operation of the second version; undefined if it is none. */
export function missingOfRestV2(
  basePath: string,
  method: string,
  path: string,
): ServiceError | undefined {
  const [version, resource = "", ...rest] = path.split("/").filter(Boolean);
  if (version !== "v2" || !RESOURCES.includes(resource)) return undefined;
  const instead = insteadOf(method, [resource, ...rest]).replaceAll("{v1}", `${basePath}/v1`);
  const message = `${method} ${path} is of the second version of REST, which is not served here yet; ${sameBy(instead, basePath)}`;
  return new ServiceError("not_served_yet", message);
}

/** Says of operations of the first version that they do the same. */
export function sameBy(operations: string, basePath: string): string {
  const verb = operations.includes(" and ") ? "do" : "does";
  const doer = operations === "" ? `nothing below ${basePath}/v1` : operations;
  return `${doer} ${verb} the same`;
}

/** An endpoint brings its container along there; here that is a template. */
const CREATES_ENDPOINT = "POST {v1}/templates and POST {v1}/endpoints";

function insteadOf(method: string, path: readonly string[]): string {
  if (method === "POST" && path.join("/") === "serverless") return CREATES_ENDPOINT;
  const found = INSTEAD.find(([pattern]) => {
    const wanted = pattern.split("/");
    return wanted.length === path.length && wanted.every((part, at) => fits(part, path[at]));
  });
  const [, instead = ""] = found ?? [];
  return instead.replaceAll("{method}", method).replaceAll("{id}", path[1] ?? "");
}

function fits(pattern: string, part: string | undefined): boolean {
  return pattern === "*" || pattern === part;
}

/** As the second version refuses: RFC 9457. */
export const asProblem: Refusal = ({ code, message }) => {
  const { status } = ERROR_CODES[code];
  const title = STATUS_CODES[status] ?? "Error";
  return {
    status,
    pieces: [JSON.stringify({ title, status, detail: message })],
    headers: { "content-type": "application/problem+json" },
  };
};
