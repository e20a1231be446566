/** Creates, lists and revokes API keys, besides those set at the start. */
import { iso } from "../../core/time/iso.ts";
import { workerToken } from "../../../runtime/protocol/environment/worker-token.ts";
import type { ApiKey } from "../../core/access/api-key.ts";
import type { KeyInput } from "../../core/access/key-input.ts";
import { digestOf } from "../../core/access/key-ring.ts";
import { ServiceError } from "../../core/service-error.ts";
import { parseDuration } from "../../core/time/duration.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import { isMade, makeKeyText, SETTLED_NAMES } from "./service-keys.ts";

const ID_PREFIX = "key_";
const ID_RANDOM_LENGTH = 14;

/**
 * Stores a new key; `text` is the key itself, which is not stored.
 * @param fingerprint fingerprint of the certificate that the service made for workers, if it did
 * @throws ServiceError key_name_taken; endpoint_not_found, wrong_endpoint_type for one of `endpointIds`; storage_full
 */
export async function createKey(
  { clock, directory, random, steps }: StepPort & TimePort & CatalogPort,
  { name, scope, endpointIds = [], expiresIn = "" }: KeyInput,
  fingerprint?: Uint8Array,
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  for (const id of endpointIds) {
    if (scope === "workers") directory.queue(id);
    else directory.endpoint(id);
  }
  const made = makeKeyText(random);
  const text = scope === "workers" ? workerToken(made, fingerprint) : made;
  const now = clock.now();
  const expiresInMs = parseDuration(expiresIn);
  const key: ApiKey = {
    id: `${ID_PREFIX}${random.shortId(ID_RANDOM_LENGTH)}`,
    name,
    scope,
    ...(endpointIds.length > 0 && { endpointIds }),
    digest: digestOf(text),
    createdAt: iso(now),
    ...(expiresInMs !== undefined && { expiresAt: iso(now + expiresInMs) }),
  };
  await steps.commit((step) => {
    const taken = [...SETTLED_NAMES, ...step.records("apiKey").map((other) => other.name)];
    if (taken.includes(name))
      throw new ServiceError("key_name_taken", `there is a key with the name "${name}" already`);
    step.putRecord("apiKey", key.id, key);
  });
  return { key, text };
}

/** The keys made with {@link createKey}, by name; expired ones too. */
export function listKeys({ steps }: StepPort): readonly ApiKey[] {
  const keys = steps.records.all("apiKey").filter(isMade);
  return keys.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the revoked key. @throws ServiceError key_not_found, storage_full */
export async function revokeKey({ steps }: StepPort, id: string): Promise<ApiKey> {
  return steps.commit((step) => {
    const key = step.record("apiKey", id);
    if (key === undefined || !isMade(key))
      throw new ServiceError("key_not_found", `there is no key "${id}" that could be revoked`);
    step.deleteRecord("apiKey", id);
    return key;
  });
}
