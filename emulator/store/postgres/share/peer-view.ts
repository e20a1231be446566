/** A replica's view of the other replicas. Each renewal of its claim reads it. */
import type { ReplicaState } from "../../ownership.ts";
import type { OwnerRow, Peer } from "../claim/partition-assignment.ts";
import type { Claim } from "../claim/claim.ts";
import { prolong, type Registration } from "../claim/registration.ts";
import type { RenewalRow } from "../claim/seen-renewals.ts";
import type { Session } from "../connect/session.ts";
import type { Cell } from "../values/columns.ts";
import { RECORDS_VERSION } from "../reads/changed-records.ts";
import { HIGHEST_SEQ } from "../writes/progress.ts";

export interface PeerRow extends Peer, RenewalRow, Omit<ReplicaState, "partitions"> {
  /** Rest of the lease as this process has observed it, ms. Below 0 the replica is dead, and its row may be removed. */
  readonly leftMs: number;
  readonly knowsTime: boolean;
}

export interface PeerView {
  readonly peers: readonly PeerRow[];
  readonly owners: readonly OwnerRow[];
  /** The highest key of all replicas. */
  readonly lastSeq: number;
  readonly recordsVersion: number;
  /** Whether the time must be sampled again at once. */
  readonly hasLeapt: boolean;
}

export const NOTHING_SEEN: PeerView = {
  ...{ peers: [], owners: [], lastSeq: 0, recordsVersion: 0 },
  hasLeapt: false,
};

export interface Renewal {
  readonly registration: Registration;
  /** Whether the replica takes partitions. */
  readonly hasBegun: boolean;
  readonly settleMs: number;
}

const PEERS = {
  name: "peers",
  text: `SELECT id, address, version, (extract(epoch FROM started_at) * 1000)::bigint, begun_at, worker_address,
      term, renewals, lease_ms, knows_time, clock_ahead_ms
    FROM replica ORDER BY id`,
};
const OWNERS = {
  name: "owners",
  text: "SELECT partition, replica, epoch FROM owner ORDER BY partition",
};

/** Renews the claim, and reads the other replicas. Returns undefined if the own row is gone. Throws what `pg` throws. */
export async function renewAndLook(
  session: Session,
  claim: Claim,
  { registration, hasBegun, settleMs }: Renewal,
): Promise<PeerView | undefined> {
  const { who, time } = claim;
  const asked = time.ask(who, registration);
  const [own, sample, peers, owners, lastSeq, version] = await session.askAll([
    prolong(who, registration, claim.told(hasBegun)),
    asked.statement,
    PEERS,
    OWNERS,
    { name: "highest-seq", text: HIGHEST_SEQ },
    { name: "records-version", text: RECORDS_VERSION },
  ]);
  if (own?.rowCount !== 1) return undefined;
  const rows = (peers?.rows ?? []).map(readPeer);
  claim.seen.look(rows, claim.validity.now().steady);
  const others = rows.filter((row) => row.id !== who.id && claim.seen.leftMs(row) >= 0);
  const isKnownElsewhere = others.some(({ knowsTime }) => knowsTime);
  const hasLeapt = await time.heard(session, asked, { row: sample?.rows[0], isKnownElsewhere });
  const now = time.clock.now();
  const known = new Set(rows.map(({ id }) => id));
  return {
    hasLeapt,
    peers: rows.map((row) => {
      const leftMs = claim.seen.leftMs(row);
      const { begunAt = Number.POSITIVE_INFINITY } = row;
      const isSettled = begunAt <= now - settleMs;
      return { ...row, leftMs, leaseEndsAt: now + leftMs, isSettled };
    }),
    owners: (owners?.rows ?? []).map(([partition, replica, epoch]) => ({
      partition: Number(partition),
      // A partition of a replica without a row has no owner.
      replica: known.has(String(replica)) ? String(replica) : undefined,
      epoch: Number(epoch),
    })),
    lastSeq: Number(lastSeq?.rows[0]?.[0]),
    recordsVersion: Number(version?.rows[0]?.[0]),
  };
}

function readPeer(row: readonly Cell[]) {
  const [id, address, version, startedAt, begunAt, workerAddress, ...renewal] = row;
  const [term, renewals, leaseMs, knowsTime, clockAheadMs] = renewal;
  return {
    id: String(id),
    address: String(address ?? ""),
    workerAddress: typeof workerAddress === "string" ? workerAddress : undefined,
    version: String(version),
    startedAt: Number(startedAt),
    begunAt: begunAt === null ? undefined : Number(begunAt),
    hasBegun: begunAt !== null,
    term: Number(term),
    renewals: Number(renewals),
    leaseMs: Number(leaseMs),
    knowsTime: knowsTime === "t",
    clockAheadMs: Number(clockAheadMs),
  };
}
