/** Where the sentence about a due moment leads, and which of them are alike. */
import { shortId } from "../../format.ts";
import type { Clock } from "../../service/generated/answers.ts";

export type DueMoment = Clock["due"][number];

export interface DueLink {
  /** What is named in the sentence. */
  readonly named: string;
  readonly shown: string;
  readonly to: readonly [page: string, parts: readonly string[]];
}

/** Undefined where it is about several. */
export function linkOf({ kind, what, endpointId, id }: DueMoment): DueLink | undefined {
  if (kind === "scale" && endpointId !== undefined)
    return { named: endpointId, shown: endpointId, to: ["endpoint", [endpointId]] };
  if (id === undefined) return undefined;
  if (kind !== "webhook") return { named: id, shown: shortId(id), to: ["job", [id]] };
  // The sentence has the job's id, and the delivery is where it happens.
  const named = /the job (\S+)/u.exec(what)?.[1] ?? id;
  return { named, shown: shortId(named), to: ["webhooks", [id]] };
}

/** The sentence before and behind what is named in it; all of it before where it is not. */
export function around(what: string, named: string): readonly [string, string] {
  const at = what.indexOf(named);
  return at < 0 ? [`${what} `, ""] : [what.slice(0, at), what.slice(at + named.length)];
}

/** These go on in real time: however far the clock is advanced, they come no sooner. */
export function keepsRealTime({ kind }: Pick<DueMoment, "kind">): boolean {
  return kind === "leases" || kind === "overrun";
}

/** Moments so close together are shown as one where they are alike, ms. */
const TOGETHER_MS = 1_000;

export interface DueGroup {
  readonly first: DueMoment;
  readonly count: number;
}

/** Those that follow one another and differ by the id alone, at about the same time. */
export function groupsOf(due: readonly DueMoment[]): readonly DueGroup[] {
  const groups: DueGroup[] = [];
  for (const each of due) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last.first, each))
      groups[groups.length - 1] = { ...last, count: last.count + 1 };
    else groups.push({ first: each, count: 1 });
  }
  return groups;
}

function isAlike(one: DueMoment, other: DueMoment): boolean {
  return (
    one.kind === other.kind &&
    Date.parse(other.at) - Date.parse(one.at) <= TOGETHER_MS &&
    withoutName(one) === withoutName(other)
  );
}

function withoutName(due: DueMoment): string {
  const link = linkOf(due);
  return link === undefined ? due.what : around(due.what, link.named).join("");
}
