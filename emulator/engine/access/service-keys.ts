/** The API keys of the service: given, generated at the first start, or known from earlier starts by their digests only. */
import { createHash } from "node:crypto";
import type { ApiKey, KeyScope } from "../../core/access/api-key.ts";
import type { Random } from "../../core/time/clock.ts";
import { orCause } from "../refusal.ts";
import type { Step } from "../step.ts";
import type { Steps } from "../steps.ts";
import type { StartWork } from "../start-work.ts";

const USER_KEY_ID = "user";
const ADMIN_KEY_ID = "admin";

export interface GivenKeys {
  readonly user: string | undefined;
  /** For the emulator's own operations; without it the user's key is valid for them, too. */
  readonly admin: string | undefined;
}

export interface ServiceKeys {
  readonly records: readonly ApiKey[];
  /** The user's key itself, if it was given or generated in this start; it is stored nowhere. */
  readonly userKey: string | undefined;
}

export interface KeySettling {
  readonly steps: Pick<Steps, "commit" | "records">;
  readonly random: Random;
  /** Stores a given key when there is room. */
  readonly startWork: Pick<StartWork, "do">;
}

/**
 * Settles which keys are valid. A given user's key replaces that of earlier starts; the admin's key is valid for one start.
 * `createdAt` is ISO 8601.
 *
 * @throws StoreFullError when there is no room for a key that is made
 */
export async function settleKeys(
  settling: KeySettling,
  given: GivenKeys,
  createdAt: string,
): Promise<ServiceKeys> {
  const scope = given.admin === undefined ? "admin" : "user";
  const { record, key } = await settleUserKey(settling, given.user, createdAt);
  const user: ApiKey = { ...record, scope };
  if (given.admin === undefined) return { records: [user], userKey: key };
  const admin = recordOf(ADMIN_KEY_ID, "admin", given.admin, createdAt);
  return { records: [user, admin], userKey: key };
}

/** Those that are valid now: another process that shares the store may have been started with another user's key since. */
export function keysNow(
  { records }: Pick<Steps, "records">,
  settled: ServiceKeys,
): readonly ApiKey[] {
  const stored = records.find("apiKey", USER_KEY_ID);
  return settled.records.map((key) =>
    stored && key.id === USER_KEY_ID ? { ...stored, scope: key.scope } : key,
  );
}

async function settleUserKey(
  { steps, random, startWork }: KeySettling,
  given: string | undefined,
  createdAt: string,
): Promise<{ readonly record: ApiKey; readonly key: string | undefined }> {
  const known = steps.records.find("apiKey", USER_KEY_ID);
  if (given === undefined && known) return { record: known, key: undefined };
  const key = given ?? `sv_${random.token()}`;
  const record = recordOf(USER_KEY_ID, "user", key, createdAt);
  if (known?.digest === record.digest) return { record: known, key };
  if (given === undefined) {
    // One that is made and not stored would be good until the service ends, and then nobody knew which is.
    const kept = await orCause(steps.commit((step) => keepFirst(step, record)));
    return { record: kept, key: kept === record ? key : undefined };
  }
  await startWork.do(() => steps.commit((step) => step.putRecord("apiKey", USER_KEY_ID, record)));
  return { record, key };
}

/** Another process may have made one at the same time. */
function keepFirst(step: Step, made: ApiKey): ApiKey {
  const known = step.record("apiKey", USER_KEY_ID);
  if (known !== undefined) return known;
  step.putRecord("apiKey", USER_KEY_ID, made);
  return made;
}

function recordOf(id: string, scope: KeyScope, key: string, createdAt: string): ApiKey {
  return { id, scope, digest: createHash("sha256").update(key).digest("hex"), createdAt };
}
