/** The health of an endpoint: what is wrong with it, and links to the jobs, workers and limits behind its numbers. */
import { plural } from "../../format/format.ts";
import { hrefTo } from "../../route/route.ts";

/** The part of an endpoint that its health depends on. */
export interface Overviewed {
  readonly id: string;
  readonly workersMax: number;
  readonly jobs: { readonly inQueue: number; readonly inProgress: number };
  readonly workers: {
    readonly initializing: number;
    readonly ready: number;
    readonly draining: number;
    readonly unhealthy: number;
    readonly lost: number;
  };
  /** Why workers do not start, or failed: a sentence. */
  readonly problem?: string | undefined;
  readonly refusedInProduction: number;
  /** Ends of jobs in the last 5 minutes. */
  readonly newest: { readonly completed: number; readonly failed: number };
}

export interface Concern {
  /** `bad`: jobs fail or cannot run; `warn`: production would refuse some. */
  readonly tone: "bad" | "warn";
  /** A sentence about the endpoint without its subject. */
  readonly text: string;
  readonly href: string;
}

/** The worst first. */
export function concernsOf(endpoint: Overviewed): readonly Concern[] {
  const { id, jobs, workers, workersMax, problem, newest, refusedInProduction } = endpoint;
  const concerns: Concern[] = [];
  const bad = (text: string, href: string) => concerns.push({ tone: "bad", text, href });
  if (jobs.inQueue > 0 && workersMax === 0) {
    const waiting = `${plural(jobs.inQueue, "job")} wait${jobs.inQueue === 1 ? "s" : ""}`;
    bad(`${waiting}, and workersMax is 0`, hrefTo("endpoint", [id]));
  }
  if (problem !== undefined) bad(problem, workersOf(id));
  const ill = workers.unhealthy + workers.lost;
  if (ill > 0) {
    const state = workers.unhealthy > 0 ? "unhealthy" : "lost";
    bad(`${plural(ill, "worker")} ${ill === 1 ? "is" : "are"} ${state}`, workersOf(id, state));
  }
  if (newest.failed > 0) {
    const ended = newest.failed + newest.completed;
    const share = `${newest.failed.toLocaleString("en")} of ${plural(ended, "job")}`;
    bad(`${share} failed in the last 5 min`, jobsOf(id, FAILED));
  }
  if (refusedInProduction > 0) {
    const text = `${plural(refusedInProduction, "request")} would have been refused in production`;
    concerns.push({ tone: "warn", text, href: limitsOf(id) });
  }
  return concerns;
}

/** The query for failed jobs: the counters of the service count timeouts as failures. */
export const FAILED = "status:failed,timed_out";

interface Health {
  readonly icon: "failed" | "warning" | "running" | "done" | "idle";
  readonly word: string;
  readonly tone: "busy" | "good" | "bad" | "warn" | "quiet";
}

export function healthOf(endpoint: Overviewed): Health {
  const { jobs, workers } = endpoint;
  const [worst] = concernsOf(endpoint);
  if (worst?.tone === "bad") return { icon: "failed", word: "trouble", tone: "bad" };
  if (worst !== undefined) return { icon: "warning", word: "over limits", tone: "warn" };
  if (jobs.inProgress > 0) return { icon: "running", word: "working", tone: "busy" };
  if (workers.initializing > 0) return { icon: "running", word: "starting", tone: "busy" };
  if (workers.ready > 0) return { icon: "done", word: "ready", tone: "good" };
  return { icon: "idle", word: "no workers", tone: "quiet" };
}

export function summaryOf(endpoints: readonly Overviewed[]): Health {
  const troubled = endpoints.filter((endpoint) => concernsOf(endpoint).length > 0);
  const isBad = troubled.some((endpoint) => healthOf(endpoint).tone === "bad");
  if (troubled.length > 0) {
    const word = `${troubled.length} of ${plural(endpoints.length, "endpoint")} need${troubled.length === 1 ? "s" : ""} a look`;
    return isBad ? { icon: "failed", word, tone: "bad" } : { icon: "warning", word, tone: "warn" };
  }
  const all = endpoints.length === 1 ? "The endpoint is" : `All ${endpoints.length} endpoints are`;
  return { icon: "done", word: `${all} well`, tone: "good" };
}

/** @param words more words of the query */
export function jobsOf(endpointId: string, ...words: readonly string[]): string {
  return hrefTo("jobs", [], { q: [`endpoint:${endpointId}`, ...words].join(" ") });
}

/** @param state a state of workers; empty for all */
export function workersOf(endpointId: string, state = ""): string {
  return hrefTo("workers", [], { endpoint: endpointId, state });
}

export function limitsOf(endpointId: string): string {
  return hrefTo("limits", [], { endpoint: endpointId });
}
