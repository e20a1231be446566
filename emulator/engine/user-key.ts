/** The user's API key: given, generated at the first start, or known from an earlier one by its digest only. */
import { createHash } from "node:crypto";
import type { ApiKey } from "../core/api-key.ts";
import type { Random } from "../core/clock.ts";
import type { Store } from "../store/store.ts";

const USER_KEY_ID = "user";

export interface UserKey {
  readonly record: ApiKey;
  /** The key itself, if it was given or made in this start; it is kept nowhere. */
  readonly key: string | undefined;
}

/** Settles which key is good. A given key replaces the one of earlier starts. `createdAt` is ISO 8601. */
export async function settleUserKey(
  store: Store,
  random: Random,
  given: string | undefined,
  createdAt: string,
): Promise<UserKey> {
  return store.transact(async (tx) => {
    const known = await tx.record("apiKey", USER_KEY_ID);
    if (given === undefined && known) return { record: known, key: undefined };
    const key = given ?? `sv_${random.token()}`;
    const digest = createHash("sha256").update(key).digest("hex");
    if (known?.digest === digest) return { record: known, key };
    const record: ApiKey = { id: USER_KEY_ID, scope: "user", digest, createdAt };
    await tx.putRecord("apiKey", USER_KEY_ID, record);
    return { record, key };
  });
}
