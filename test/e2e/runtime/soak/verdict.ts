/** Problems with the ends of a soak's jobs, and figures. */
import { isTerminal, type Job } from "../../../../runtime/client/index.ts";
import type { Fact } from "../../crash/history.ts";
import type { Chaos } from "./chaos.ts";
import type { LogLine } from "./library-emulator.ts";
import { CONCURRENCY, STRIKES, TRIES_LEFT } from "./scene.ts";
import { type Way, wayOf } from "./ways.ts";

export interface Ended {
  readonly marker: string;
  readonly job: Job;
}

/** Problems with failure reports and attempts; the history checker finds those with statuses and outputs. */
export function wrongEnds(ended: readonly Ended[], chaos: Chaos): string[] {
  const wrong = ended.flatMap(({ marker, job }) => {
    const way = wayOf(marker);
    const problems = [...wrongTries(way, job), ...wrongCertificate(way, job, chaos)];
    return problems.map((problem) => `${marker}: ${problem} (${JSON.stringify(job)})`);
  });
  // Each strike costs each job of one worker an attempt; the neighbours of a crashed job lose none.
  const paid = ended.filter(({ marker }) => wayOf(marker).crashes === undefined);
  const tries = paid.reduce((sum, { job }) => sum + (job.retries ?? 0), 0);
  const most = STRIKES * CONCURRENCY;
  return tries <= most ? wrong : [...wrong, `${tries} tries were lost to ${STRIKES} strikes`];
}

function wrongTries({ crashes }: Way, { retries = 0 }: Job): string[] {
  if (crashes === "always")
    return retries === TRIES_LEFT ? [] : [`${retries} retries, not ${TRIES_LEFT}`];
  const most = STRIKES + (crashes === "once" ? 1 : 0);
  return retries <= most ? [] : [`${retries} retries, ${most} at most`];
}

/** The last attempt of a job that always crashes may have ended by a strike on its worker instead. */
function wrongCertificate(way: Way, { status, failure }: Job, chaos: Chaos): string[] {
  if (way.failure === undefined) return failure === undefined ? [] : ["a failure report"];
  if (failure === undefined || !isTerminal(status)) return ["no failure report"];
  if (way.crashes === "always" && failure.type === "worker_lost")
    return chaos.struck.has(failure.workerId ?? "") ? [] : ["nobody struck its worker"];
  const { type, message, ...certain } = way.failure;
  const isRight =
    failure.type === type &&
    (message === undefined || failure.message.includes(message)) &&
    failure.exitCode === certain.exitCode &&
    failure.signal === certain.signal &&
    failure.workerId !== undefined;
  return isRight ? [] : ["a wrong failure report"];
}

/** Figures of the soak. */
export function figuresOf(
  facts: readonly Fact[],
  ended: readonly Ended[],
  log: readonly LogLine[],
) {
  const refused = facts.filter((fact) => fact.type === "receipt" && !fact.accepted);
  const forged = facts.filter((fact) => fact.type === "receipt" && fact.forged);
  const said = (words: string) => log.filter(({ msg }) => String(msg).includes(words)).length;
  return {
    jobs: ended.length,
    handOvers: facts.filter(({ type }) => type === "handed-over").length,
    triesLost: ended.reduce((sum, { job }) => sum + (job.retries ?? 0), 0),
    workersStarted: said("worker started"),
    workersGivenUp: said("it is lost"),
    staleOutcomesRefused: refused.length,
    ofThemForged: forged.length,
  };
}
