/** What the answers of the service tell a browser about the bytes in them. */
import assert from "node:assert/strict";

/** The pages of the service itself, which have a policy of their own. */
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
