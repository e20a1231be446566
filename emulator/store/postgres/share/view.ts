/** What a replica knows of the others, and renews with its claim. */
import type { ReplicaState } from "../../ownership.ts";
import type { OwnerRow, Peer } from "../claim/spread.ts";
import { prolong, type Registrant, type Registration } from "../claim/registration.ts";
import type { Cell, Session } from "../connect/session.ts";
import { RECORDS_VERSION } from "../reads/changed-records.ts";
import { bound } from "../values/columns.ts";
import { HIGHEST_SEQ } from "../writes/progress.ts";

export interface PeerRow extends Peer, Omit<ReplicaState, "parts"> {
  /** How much of its lease is left, ms. Below 0 it is over, so that the row may be removed. */
  readonly leftMs: number;
}

export interface View {
  readonly peers: readonly PeerRow[];
  readonly owners: readonly OwnerRow[];
  /** The highest key of all lines. */
  readonly lastSeq: number;
  readonly recordsVersion: number;
}

export const NOTHING_SEEN: View = { peers: [], owners: [], lastSeq: 0, recordsVersion: 0 };

const MS = (time: string) => `(extract(epoch FROM ${time}) * 1000)::bigint`;
const PEERS = {
  name: "peers",
  text: `SELECT id, address, version, ${MS("started_at")}, ${MS("until")}, ${MS("until - clock_timestamp()")},
      begun_at IS NOT NULL, begun_at <= clock_timestamp() - $1::bigint * interval '1 millisecond', worker_address
    FROM replica ORDER BY id`,
};
const OWNERS = { name: "owners", text: "SELECT part, replica, epoch FROM owner ORDER BY part" };

export interface Renewal {
  readonly who: Registrant;
  readonly registration: Registration;
  readonly serviceTime: number;
  /** Whether it takes parts. */
  readonly hasBegun: boolean;
  readonly settleMs: number;
}

/** Renews the claim, and looks; undefined where the row is gone. Throws what `pg` throws. */
export async function renewAndLook(
  session: Session,
  { who, registration, serviceTime, hasBegun, settleMs }: Renewal,
): Promise<View | undefined> {
  const [own, peers, owners, lastSeq, version] = await session.askAll([
    prolong(who, registration, serviceTime, hasBegun),
    { ...PEERS, values: [bound(settleMs)] },
    OWNERS,
    { name: "highest-seq", text: HIGHEST_SEQ },
    { name: "records-version", text: RECORDS_VERSION },
  ]);
  if (own?.rowCount !== 1) return undefined;
  const seen = (peers?.rows ?? []).map(readPeer);
  const known = new Set(seen.map(({ id }) => id));
  return {
    peers: seen,
    owners: (owners?.rows ?? []).map(([part, replica, epoch]) => ({
      part: Number(part),
      // A part of one that is not there is nobody's.
      replica: known.has(String(replica)) ? String(replica) : undefined,
      epoch: Number(epoch),
    })),
    lastSeq: Number(lastSeq?.rows[0]?.[0]),
    recordsVersion: Number(version?.rows[0]?.[0]),
  };
}

/** A row of `PEERS`. */
function readPeer(row: readonly Cell[]): PeerRow {
  const [id, address, version, startedAt, leaseEndsAt, leftMs, ...stages] = row;
  const [hasBegun, isSettled, workerAddress] = stages;
  return {
    id: String(id),
    address: String(address ?? ""),
    workerAddress: typeof workerAddress === "string" ? workerAddress : undefined,
    version: String(version),
    startedAt: Number(startedAt),
    leaseEndsAt: Number(leaseEndsAt),
    leftMs: Number(leftMs),
    hasBegun: hasBegun === "t",
    isSettled: isSettled === "t",
  };
}
