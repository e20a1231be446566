/** Needs of the ownership contract from a store that several replicas share. */
import { expect } from "vitest";
import { targetsOf } from "../../../emulator/store/postgres/claim/partition-assignment.ts";
import { type Joined, Member } from "./member.ts";

/** A store that several replicas share; disposing of it ends all of them. */
export interface SharedSubject extends AsyncDisposable {
  /** @param lease `short` where a test waits for it to run out; otherwise it lasts longer than any test */
  join(lease: "short" | "long"): Promise<Joined>;
}

export type OpenShared = () => Promise<SharedSubject>;

export const PARTITIONS = 64;
export const POLLED = { interval: 10 };

/** Time without a move after which all partitions are in place. */
const CALM_MS = 250;

export async function member(
  subject: SharedSubject,
  lease: "short" | "long" = "long",
): Promise<Member> {
  const joined = await subject.join(lease);
  return new Member(joined, await joined.store.boot());
}

export async function begun(subject: SharedSubject, lease?: "short" | "long"): Promise<Member> {
  const made = await member(subject, lease);
  await made.ownership.begin(made);
  return made;
}

/** Resolves when each partition belongs to one of them, each owns some, and no partition moves any more. */
export async function spread(members: readonly Member[]): Promise<void> {
  let before = "";
  let since = 0;
  const isCalm = () => {
    const had = members.map(({ partitions }) => [...partitions].join()).join(";");
    if (had !== before) since = performance.now();
    before = had;
    const count = members.reduce((sum, { partitions }) => sum + partitions.size, 0);
    const hasEach = members.every(({ partitions }) => partitions.size > 0);
    return count === PARTITIONS && hasEach && performance.now() - since >= CALM_MS;
  };
  await expect.poll(isCalm, POLLED).toBe(true);
  expect(new Set(members.flatMap(({ partitions }) => [...partitions])).size).toBe(PARTITIONS);
}

export async function spreadOverTwo(subject: SharedSubject): Promise<readonly [Member, Member]> {
  const members = [await begun(subject), await begun(subject)] as const;
  await spread(members);
  return members;
}

/**
 * Partitions that have not reached their replica, in one replica's view. When none is left, no endpoint moves any
 * more.
 */
export function misplacedAmong(
  replicas: readonly { readonly id: string; readonly partitions: readonly number[] }[],
): readonly number[] {
  const peers = replicas.map(({ id }) => ({ id, hasBegun: true, isSettled: true }));
  return [...targetsOf(peers)].flatMap(([partition, target]) =>
    replicas.some(({ id, partitions }) => id === target && partitions.includes(partition))
      ? []
      : [partition],
  );
}

/** An endpoint that `one` owns. */
export function endpointOf(one: Member, not = ""): string {
  const ids = Array.from({ length: 2_000 }, (_, at) => `endpoint-${at}`);
  return ids.find((id) => id !== not && one.has(id)) ?? expect.unreachable();
}

export async function seqsIn({ store }: Member, endpointId: string): Promise<readonly number[]> {
  return (await store.jobsOf(endpointId, 0, 1_000)).map(({ seq }) => seq);
}
