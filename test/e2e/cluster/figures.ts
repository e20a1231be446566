/** What happened in a run, in numbers. */
import type { Fact } from "../crash/history.ts";

type OfType<T extends Fact["type"]> = Extract<Fact, { type: T }>;

/** A fault is felt for a while after it is over. */
const FELT_US = 2_000_000;

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
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, same]) => [name, same.length]));
}

/** By fault, how long the slowest submission took that had to do with no other one. */
function longestUnder(
  accepted: readonly OfType<"accepted">[],
  faults: readonly OfType<"fault">[],
): Record<string, number> {
  const longest: Record<string, number> = {};
  for (const { since, at } of accepted) {
    const felt = faults.filter((fault) => fault.beganAt < at && since < fault.at + FELT_US);
    const names = new Set(felt.map(({ name }) => name));
    if (names.size > 1) continue;
    const name = [...names][0] ?? "none";
    longest[name] = Math.max(longest[name] ?? 0, Math.round((at - since) / 1_000));
  }
  return longest;
}
