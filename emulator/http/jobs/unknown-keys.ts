/** Warns once of each key of submissions that is probably misspelt. Unknown keys are accepted, because existing clients send some (ours). */
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { valueInWords } from "../../core/input/problem-messages.ts";
import { SUBMISSION_KEYS } from "../../core/jobs/submission.ts";
import type { HttpService } from "../service.ts";

/** After so many warnings there are no more. */
const MAX_WARNINGS = 1_000;

const warnedBy = new WeakMap<HttpService, Set<string>>();

export function warnOfUnknownKeys(
  service: HttpService,
  endpointId: string,
  keys: readonly string[],
): void {
  if (keys.length === 0) return;
  const warned = warnedBy.get(service) ?? new Set();
  warnedBy.set(service, warned);
  for (const key of keys) {
    const near = closestName(key, SUBMISSION_KEYS);
    const once = JSON.stringify([endpointId, key]);
    if (near === undefined || warned.has(once) || warned.size >= MAX_WARNINGS) continue;
    warned.add(once);
    const sentence = `a submission has the unknown key ${valueInWords(key)}; did you mean ${near}?`;
    service.log.warn({ endpointId }, sentence);
  }
}
