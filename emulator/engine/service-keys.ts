/** The keys of the service: given, generated at the first start, or known from an earlier one by their digests only. */
import { createHash } from "node:crypto";
import type { ApiKey, KeyScope } from "../core/api-key.ts";
import type { Random } from "../core/clock.ts";
import type { Store, StoreTransaction } from "../store/store.ts";

const USER_KEY_ID = "user";
const ADMIN_KEY_ID = "admin";

export interface GivenKeys {
  readonly user: string | undefined;
  /** Opens the emulator's own operations; without one the user's key opens them too. */
  readonly admin: string | undefined;
}

export interface ServiceKeys {
  readonly records: readonly ApiKey[];
  /** The user's key itself, if it was given or made in this start; it is kept nowhere. */
  readonly userKey: string | undefined;
}

/**
 * Settles which keys are good. A given user's key replaces the one of earlier starts; the admin's is good for one start.
 * `createdAt` is ISO 8601.
 */
export async function settleKeys(
  store: Store,
  random: Random,
  given: GivenKeys,
  createdAt: string,
): Promise<ServiceKeys> {
  const scope = given.admin === undefined ? "admin" : "user";
  const { record, key } = await store.transact((tx) =>
    settleUserKey(tx, random, given.user, createdAt),
  );
  const user: ApiKey = { ...record, scope };
  if (given.admin === undefined) return { records: [user], userKey: key };
  const admin = recordOf(ADMIN_KEY_ID, "admin", given.admin, createdAt);
  return { records: [user, admin], userKey: key };
}

async function settleUserKey(
  tx: StoreTransaction,
  random: Random,
  given: string | undefined,
  createdAt: string,
): Promise<{ readonly record: ApiKey; readonly key: string | undefined }> {
  const known = await tx.record("apiKey", USER_KEY_ID);
  if (given === undefined && known) return { record: known, key: undefined };
  const key = given ?? `sv_${random.token()}`;
  const record = recordOf(USER_KEY_ID, "user", key, createdAt);
  if (known?.digest === record.digest) return { record: known, key };
  await tx.putRecord("apiKey", USER_KEY_ID, record);
  return { record, key };
}

function recordOf(id: string, scope: KeyScope, key: string, createdAt: string): ApiKey {
  return { id, scope, digest: createHash("sha256").update(key).digest("hex"), createdAt };
}
