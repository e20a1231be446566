/** Connects those parts of a replica that deal with other replicas. */
import type { Claim } from "../claim/claim.ts";
import type { ClaimRenewal } from "../claim/claim-renewal.ts";
import { channelOf, notice, Notices } from "../claim/notices.ts";
import type { Ask } from "../connect/session.ts";
import type { Settings } from "../connect/settings.ts";
import type { PostgresStoreOptions, Times } from "../options.ts";
import { readGain } from "../reads/boot-reads.ts";
import type { Queues } from "../writes/queues.ts";
import { KnownOwners } from "./known-owners.ts";
import { PartitionKeeper } from "./partition-keeper.ts";
import { RecordChanges } from "./record-changes.ts";
import { SharedOwnership } from "./shared-ownership.ts";

const LEFT_BEHIND =
  "the records in the database cannot be followed any more: the database was restored, or was unreachable for a day; restart the emulator";

export interface Sharing {
  readonly options: PostgresStoreOptions;
  readonly settings: Settings;
  readonly times: Times;
  readonly claim: Claim;
  readonly queues: Queues;
  readonly ask: Ask;
  /** Runs the work, and notes damage that it finds. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>;
  readonly renewal: () => ClaimRenewal;
}

export function shareDatabase(sharing: Sharing) {
  const { options, settings, times, claim, queues, ask, guard, renewal } = sharing;
  const { clock, warn = () => undefined } = options;
  const { id, address = "", workerAddress } = claim.who;
  const channel = channelOf(settings.schema);
  const owners = new KnownOwners({ id, address, workerAddress }, claim);
  const hurry = () => renewal().hurry();
  const keeper = new PartitionKeeper({
    ...{ claim, times, queues, owners, hurry },
    tell: notice(channel, "partitions"),
    readGain: (session, partitions) => guard(() => readGain(session, queues, partitions)),
  });
  const onLeftBehind = () => claim.refuse(LEFT_BEHIND);
  const records = new RecordChanges({ clock: claim.time.clock, ask, onLeftBehind });
  const ownership = new SharedOwnership({
    ...{ owners, keeper, records, clock, hurry, leaseMs: times.lease },
    renewed: () => renewal().renewed(),
  });
  const hear = (said: "partitions" | "records") => ownership.hear(said);
  const notices = new Notices({ channel, clock, echoMs: times.echo, hear, warn });
  return { ownership, records, notices, tellRecords: notice(channel, "records") };
}
