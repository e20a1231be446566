/** Due moments as the page shows them: the links in their sentences, groups of similar ones, and steps to them. */
import { shortId } from "../../format/format.ts";
import type { Clock } from "../../../../runtime/protocol/generated/answers.ts";

export type DueMoment = Clock["due"][number];

export interface DueLink {
  /** The name in the sentence. */
  readonly named: string;
  readonly shown: string;
  readonly to: readonly [page: string, parts: readonly string[]];
}

/** Undefined for a moment of several jobs. */
export function linkOf({ kind, what, endpointId, id }: DueMoment): DueLink | undefined {
  if (kind === "scale" && endpointId !== undefined)
    return { named: endpointId, shown: endpointId, to: ["endpoint", [endpointId]] };
  if (id === undefined) return undefined;
  if (kind !== "webhook") return { named: id, shown: shortId(id), to: ["job", [id]] };
  // The sentence names the job; the link leads to the delivery.
  const named = /the job (\S+)/u.exec(what)?.[1] ?? id;
  return { named, shown: shortId(named), to: ["webhooks", [id]] };
}

/** The sentence before and after the name. Without the name, the whole sentence is before it. */
export function around(what: string, named: string): readonly [string, string] {
  const at = what.indexOf(named);
  return at < 0 ? [`${what} `, ""] : [what.slice(0, at), what.slice(at + named.length)];
}

/** Whether a moment is of real time: an advance of the clock brings it no nearer. */
export function keepsRealTime({ kind }: Pick<DueMoment, "kind">): boolean {
  return kind === "leases" || kind === "overrun";
}

/** Maximum time between similar moments that are shown as one, ms. */
const TOGETHER_MS = 1_000;

export interface DueGroup {
  readonly first: DueMoment;
  readonly count: number;
}

/** Neighbours that differ by their id alone, at about the same time, form a group. */
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

/** A typed duration as the service reads it, without spaces and in small letters: `1h30m`. A number alone is minutes. */
export function durationText(typed: string): string {
  const text = typed.replaceAll(/\s+/gu, "").toLowerCase();
  return /^\d+$/u.test(text) ? `${text}m` : text;
}

/** The step to a moment: whole ms, at least 1. */
export function stepMs(at: string, nowMs: number): number {
  return Math.max(1, Math.ceil(Date.parse(at) - nowMs));
}
