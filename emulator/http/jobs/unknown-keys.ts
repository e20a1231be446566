/** Tells of keys of submissions that were probably misspelt, once each: they are taken, as existing clients send some of their own (ours). */
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { valueInWords } from "../../core/input/problem-messages.ts";
import { SUBMISSION_KEYS } from "../../core/jobs/submission.ts";
import type { HttpService } from "../service.ts";

/** More are not remembered, and from then on none is told of: the log would be all that is left of it. */
const MAX_TOLD = 1_000;

const toldBy = new WeakMap<HttpService, Set<string>>();

export function warnOfUnknownKeys(
  service: HttpService,
  endpointId: string,
  keys: readonly string[],
): void {
  if (keys.length === 0) return;
  const told = toldBy.get(service) ?? new Set();
  toldBy.set(service, told);
  for (const key of keys) {
    const near = closestName(key, SUBMISSION_KEYS);
    const once = JSON.stringify([endpointId, key]);
    if (near === undefined || told.has(once) || told.size >= MAX_TOLD) continue;
    told.add(once);
    const sentence = `a submission has the unknown key ${valueInWords(key)}; did you mean ${near}?`;
    service.log.warn({ endpointId }, sentence);
  }
}
