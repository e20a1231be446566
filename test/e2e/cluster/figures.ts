/** What happened in a run, in numbers. */
import type { Fact } from "../crash/history.ts";

type OfType<T extends Fact["type"]> = Extract<Fact, { type: T }>;

/** So long after it is over a fault is felt, µs. */
const FELT_US = 500_000;
/** Whoever takes the place of one that was killed waits until its lease is over, µs. */
const LEASE_US = 8_000_000;

export function figuresOf(facts: readonly Fact[]) {
  const all = <T extends Fact["type"]>(type: T) =>
    facts.filter((fact): fact is OfType<T> => fact.type === type);
  const requests = all("request");
  const faults = all("fault");
  const refusals = requests.filter(({ status }) => status !== undefined && status >= 400);
  return {
    submitted: all("submitted").length,
    unanswered: all("submission-unanswered").length,
    handOvers: all("handed-over").length,
    requests: requests.length,
    broken: requests.filter(({ end }) => end === "broken").length,
    refused: countBy(refusals.map(({ operation, status }) => `${operation} ${status}`)),
    webhooks: all("webhook").length,
    looks: all("seen").length,
    faults: countBy(faults.map(({ name }) => name)),
    acceptedAfterMs: longestUnder(all("accepted"), faults),
    slowest: slowestOf(all("accepted"), faults),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, same]) => [name, same.length]));
}

/** By fault, how long after it the slowest submission was accepted that had to do with no other one, ms; else those that were felt together. */
function longestUnder(
  accepted: readonly OfType<"accepted">[],
  faults: readonly OfType<"fault">[],
): Record<string, number> {
  const longest: Record<string, number> = {};
  for (const { since, at } of accepted) {
    const felt = faults.filter((fault) => fault.beganAt < at && since < lastFelt(fault));
    const [fault] = felt;
    const name = felt.length > 1 ? "several" : (fault?.name ?? "none");
    const from = Math.max(since, fault?.beganAt ?? 0);
    longest[name] = Math.max(longest[name] ?? 0, Math.round((at - from) / 1_000));
  }
  return longest;
}

function lastFelt({ name, beganAt, at }: OfType<"fault">): number {
  return Math.max(at + FELT_US, name === "kill" ? beganAt + LEASE_US : 0);
}

/** The slowest submission, with when, in ms from its first try, each fault began and was over that it met. */
function slowestOf(
  accepted: readonly OfType<"accepted">[],
  faults: readonly OfType<"fault">[],
): string {
  const [slowest] = accepted.toSorted((a, b) => b.at - b.since - (a.at - a.since));
  if (slowest === undefined) return "none";
  const { since, at, tries } = slowest;
  const ms = (us: number) => Math.round((us - since) / 1_000);
  const met = faults.filter((fault) => fault.beganAt < at && since < lastFelt(fault));
  const times = met.map((fault) => `${fault.name} ${ms(fault.beganAt)} to ${ms(fault.at)}`);
  return `${ms(at)} ms, ${tries} tries: ${times.join(", ")}`;
}
