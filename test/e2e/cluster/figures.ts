/** Figures of a run. */
import type { Fact } from "../crash/history.ts";

type OfType<T extends Fact["type"]> = Extract<Fact, { type: T }>;

/** Time after a fault in which its effects can be felt, µs. */
const FELT_US = 500_000;
/** Time that the successor of a killed replica waits for the end of its lease, µs. */
const LEASE_US = 8_000_000;
/** Time after a fault in which the fault is still listed, µs. */
const AROUND_US = 10_000_000;

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
    ...longestUnder(all("accepted"), faults),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, same]) => [name, same.length]));
}

/**
 * For each fault: the slowest accepted submission that no other fault affected, in ms after the fault, else the
 * faults that overlapped. `slowest` has the times of the faults around each submission, in ms from its first try.
 */
function longestUnder(accepted: readonly OfType<"accepted">[], faults: readonly OfType<"fault">[]) {
  const acceptedAfterMs: Record<string, number> = {};
  const slowest: Record<string, string> = {};
  for (const { since, at, tries } of accepted) {
    const felt = faults.filter((fault) => fault.beganAt < at && since < lastFelt(fault));
    const [fault] = felt;
    const name = felt.length > 1 ? "several" : (fault?.name ?? "none");
    const ms = (us: number) => Math.round((us - since) / 1_000);
    const took = ms(at) - Math.max(0, fault === undefined ? 0 : ms(fault.beganAt));
    if (took <= (acceptedAfterMs[name] ?? -1)) continue;
    acceptedAfterMs[name] = took;
    const around = faults.filter((each) => each.beganAt < at && since < each.at + AROUND_US);
    const times = around.map((each) => `${each.name} ${ms(each.beganAt)} to ${ms(each.at)}`);
    slowest[name] = `${ms(at)} ms, ${tries} tries: ${times.join(", ")}`;
  }
  return { acceptedAfterMs, slowest };
}

function lastFelt({ name, beganAt, at }: OfType<"fault">): number {
  return Math.max(at + FELT_US, name === "kill" ? beganAt + LEASE_US : 0);
}
