/**
 * Warns of unknown keys in submissions that look like misspelt known ones. Unknown keys are accepted, because existing clients
 * send some (ours).
 */
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { valueInWords } from "../../core/input/problem-messages.ts";
import { SUBMISSION_KEYS } from "../../core/jobs/submission.ts";
import type { HttpService } from "../operation/service.ts";

/** Maximum number of warnings of a service. */
const MAX_WARNINGS = 1_000;

/** Endpoints and keys that each service has warned of. */
const warnedKeys = new WeakMap<HttpService, Set<string>>();

/** Warns once of each key in an endpoint's submissions. */
export function warnOfMisspeltKeys(
  service: HttpService,
  endpointId: string,
  unknownKeys: readonly string[],
): void {
  const warned = warnedKeys.get(service) ?? new Set();
  warnedKeys.set(service, warned);
  for (const key of unknownKeys) {
    const near = closestName(key, SUBMISSION_KEYS);
    const endpointAndKey = JSON.stringify([endpointId, key]);
    if (near === undefined || warned.has(endpointAndKey) || warned.size >= MAX_WARNINGS) continue;
    warned.add(endpointAndKey);
    const sentence = `a submission has the unknown key ${valueInWords(key)}; did you mean ${near}?`;
    service.log.warn({ endpointId }, sentence);
  }
}
