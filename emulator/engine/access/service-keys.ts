/** The API keys of the service: given, generated at the first start, or known from earlier starts by their digests only. */
import type { ApiKey } from "../../core/access/api-key.ts";
import { digestOf } from "../../core/access/key-ring.ts";
import type { Random } from "../../core/time/clock.ts";
import { orCause } from "../steps/refusal.ts";
import type { Steps } from "../steps/steps.ts";
import type { StartWork } from "../parts/start-work.ts";

const USER_KEY_ID = "user";
const ADMIN_KEY_ID = "admin";
const LOCAL_KEY_ID = "local";
const OF_START: ReadonlySet<string> = new Set([USER_KEY_ID, ADMIN_KEY_ID, LOCAL_KEY_ID]);

/** Names of the start's keys and of links to the dashboard in the audit; no other key has such a name. */
const USER_KEY_NAME = "API key";
const ADMIN_KEY_NAME = "admin key";
const LOCAL_KEY_NAME = "commands of this machine";
export const DASHBOARD_KEY_NAME = "dashboard";
export const SETTLED_NAMES = [USER_KEY_NAME, ADMIN_KEY_NAME, LOCAL_KEY_NAME, DASHBOARD_KEY_NAME];

/** True: it was created over the interface. */
export function isMade({ id }: ApiKey): boolean {
  return id !== USER_KEY_ID;
}

export function makeKeyText(random: Random): string {
  return `sv_${random.token()}`;
}

export interface GivenKeys {
  readonly user: string | undefined;
  /** Key for the emulator's own operations; without it the user's key opens them too. */
  readonly admin: string | undefined;
  /** Key for commands of this machine, which opens everything. */
  readonly local?: string | undefined;
}

export interface ServiceKeys {
  /** All valid keys; those of the start come last. */
  readonly records: readonly ApiKey[];
  /** Text of the user's key, if it was given or generated at this start; it is not stored. */
  readonly userKey: string | undefined;
}

export interface KeySettling {
  readonly steps: Pick<Steps, "commit" | "records">;
  readonly random: Random;
  /** Stores a given key once there is room. */
  readonly startWork: Pick<StartWork, "do">;
}

/**
 * Decides which keys are valid. A given user's key replaces that of earlier starts; the other two are valid for one start.
 * `createdAt` is ISO 8601.
 * @throws StoreFullError if there is no room for a generated key
 */
export async function settleKeys(
  settling: KeySettling,
  given: GivenKeys,
  createdAt: string,
): Promise<ServiceKeys> {
  const scope = given.admin === undefined ? "all" : "user";
  const { record, key } = await settleUserKey(settling, given.user, createdAt);
  const made = settling.steps.records.all("apiKey").filter(isMade);
  const user: ApiKey = { ...record, name: USER_KEY_NAME, scope };
  const ofStart = [
    { id: ADMIN_KEY_ID, name: ADMIN_KEY_NAME, text: given.admin },
    { id: LOCAL_KEY_ID, name: LOCAL_KEY_NAME, text: given.local },
  ].flatMap(({ text, ...named }): ApiKey[] =>
    text === undefined ? [] : [{ ...named, scope: "all", digest: digestOf(text), createdAt }],
  );
  return { records: [...made, user, ...ofStart], userKey: key };
}

/** The keys that are valid now: another process with the same store may have been started with another user's key. */
export function keysNow(
  { records }: Pick<Steps, "records">,
  settled: ServiceKeys,
): readonly ApiKey[] {
  const stored = records.find("apiKey", USER_KEY_ID);
  const given = settled.records.filter(({ id }) => OF_START.has(id));
  const made = records.all("apiKey").filter(isMade);
  return [
    ...made,
    ...given.map((key) =>
      stored && key.id === USER_KEY_ID ? { ...stored, name: key.name, scope: key.scope } : key,
    ),
  ];
}

async function settleUserKey(
  { steps, random, startWork }: KeySettling,
  given: string | undefined,
  createdAt: string,
): Promise<{ readonly record: ApiKey; readonly key: string | undefined }> {
  const known = steps.records.find("apiKey", USER_KEY_ID);
  if (given === undefined && known) return { record: known, key: undefined };
  const key = given ?? makeKeyText(random);
  const record: ApiKey = {
    id: USER_KEY_ID,
    name: USER_KEY_NAME,
    scope: "user",
    digest: digestOf(key),
    createdAt,
  };
  if (known?.digest === record.digest) return { record: known, key };
  if (given === undefined) {
    // A generated key has to be stored: the next start of the service would not know it otherwise.
    const kept = await orCause(
      steps.commit((step) => step.keepRecord("apiKey", USER_KEY_ID, record)),
    );
    return { record: kept, key: kept === record ? key : undefined };
  }
  await startWork.do(() => steps.commit((step) => step.putRecord("apiKey", USER_KEY_ID, record)));
  return { record, key };
}
