/** Connects what a process needs that shares the database with others. */
import type { Claim } from "../claim/claim.ts";
import type { Keeper } from "../claim/keeper.ts";
import { channelOf, notice, Notices } from "../claim/notices.ts";
import type { Session } from "../connect/session.ts";
import type { Settings } from "../connect/settings.ts";
import type { PostgresStoreOptions, Times } from "../options.ts";
import { readGain } from "../reads/boot-reads.ts";
import type { JobReads } from "../reads/job-reads.ts";
import type { Queues } from "../writes/queues.ts";
import { KnownOwners } from "./known-owners.ts";
import { PartsKeeper } from "./parts-keeper.ts";
import { RecordChanges } from "./record-changes.ts";
import { SharedOwnership } from "./shared-ownership.ts";

const LEFT_BEHIND =
  "the records in the database cannot be followed any more: the database was restored, or not reached for a day; start the emulator anew";

export interface Sharing {
  readonly options: PostgresStoreOptions;
  readonly settings: Settings;
  readonly times: Times;
  readonly claim: Claim;
  readonly queues: Queues;
  readonly jobs: JobReads;
  /** Has a question answered. */
  readonly ask: <T>(question: (session: Session) => Promise<T>) => Promise<T>;
  /** Has damage that is found noted. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>;
  readonly keeper: () => Keeper;
}

export function shareDatabase(sharing: Sharing) {
  const { options, settings, times, claim, queues, jobs, ask, guard, keeper } = sharing;
  const { clock, warn = () => undefined } = options;
  const { id, address = "", workerAddress } = claim.who;
  const channel = channelOf(settings.schema);
  const owners = new KnownOwners({ id, address, workerAddress }, claim);
  const hurry = () => keeper().hurry();
  const partsKeeper = new PartsKeeper({
    ...{ claim, times, queues, owners, hurry },
    tell: notice(channel, "parts"),
    readGain: (session, parts) => guard(() => readGain(session, jobs, queues, parts)),
  });
  const onLeftBehind = () => claim.refuse(LEFT_BEHIND);
  const records = new RecordChanges({ clock: claim.time.clock, ask, onLeftBehind });
  const ownership = new SharedOwnership({
    ...{ owners, keeper: partsKeeper, records, clock, hurry, leaseMs: times.lease },
    renewed: () => keeper().renewed(),
  });
  const hear = (said: "parts" | "records") => ownership.hear(said);
  const notices = new Notices({ channel, clock, echoMs: times.echo, hear, warn });
  return { ownership, records, notices, tellRecords: notice(channel, "records") };
}
