/** The service's statements to a browser about the content of its answers. */
import assert from "node:assert/strict";

/** The service's own pages, which have their own policy. */
const OWN_PAGES = ["default-src 'none'; script-src 'self'"];

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Fails if a browser would run the content of an answer as a page of the service. */
export function assertSandboxed(what: string, headers: Headers): void {
  assert.equal(headers["x-content-type-options"], "nosniff", `${what}: nosniff`);
  assert(isSandboxed(headers) || isOwnPage(headers), `${what}: ${policyOf(headers)}`);
}

export function isSandboxed(headers: Headers): boolean {
  return policyOf(headers)
    .split(/[,;]/u)
    .some((part) => part.trim() === "sandbox");
}

function isOwnPage(headers: Headers): boolean {
  return OWN_PAGES.some((start) => policyOf(headers).startsWith(start));
}

function policyOf(headers: Headers): string {
  return [headers["content-security-policy"] ?? ""].flat().join(", ");
}
