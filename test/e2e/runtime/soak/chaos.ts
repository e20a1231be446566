/** Strikes workers at random: kills their supervisors, or freezes them for about as long as a lease or longer. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../../crash/seeded-random.ts";
import { processesMarked } from "../../jobs/observe.ts";
import { PROC } from "../../../setup/proc.ts";

export interface ChaosOptions {
  /** A variable of all workers, as `NAME=value`. */
  readonly mark: string;
  readonly random: SeededRandom;
  readonly leaseMs: number;
}

export class Chaos {
  /** The ids of the workers that were struck. */
  readonly struck = new Set<string>();
  strikes = 0;
  readonly #options: ChaosOptions;
  readonly #stopped = new Map<string, Promise<void>>();

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  /** Strikes a worker that is not frozen; every other one is killed. */
  strike(): void {
    const { mark, random, leaseMs } = this.#options;
    const victims = supervisors(mark).filter(({ workerId }) => !this.#stopped.has(workerId));
    const victim = victims[random.integer(0, victims.length - 1)];
    if (victim === undefined) return;
    this.struck.add(victim.workerId);
    this.strikes += 1;
    if (this.strikes % 2 === 1) {
      process.kill(victim.pid, "SIGKILL");
      return;
    }
    process.kill(victim.pid, "SIGSTOP");
    // Every other worker is lost before it is thawed; the others are thawed in time, just at the end of their
    // lease, or later.
    const leases = this.strikes % 4 === 2 ? 2 : 0.8 + 0.5 * random.next();
    const resumed = this.#resume(victim, leaseMs * leases);
    this.#stopped.set(victim.workerId, resumed);
  }

  /** Resolves when all frozen workers go on or are gone. */
  async isOver(): Promise<void> {
    await Promise.all(this.#stopped.values());
  }

  async #resume({ pid, workerId }: Supervisor, afterMs: number): Promise<void> {
    await delay(afterMs);
    this.#stopped.delete(workerId);
    const isThere = supervisors(this.#options.mark).some((other) => other.workerId === workerId);
    if (isThere) process.kill(pid, "SIGCONT");
  }
}

interface Supervisor {
  readonly pid: number;
  readonly workerId: string;
}

function supervisors(mark: string): Supervisor[] {
  return processesMarked(mark).flatMap(({ pid, commandLine }) => {
    if (!commandLine.includes("sv-worker")) return [];
    const workerId = /(?:^|\0)SV_WORKER_ID=(\w+)/.exec(environmentOf(pid))?.[1];
    return workerId === undefined ? [] : [{ pid, workerId }];
  });
}

function environmentOf(pid: number): string {
  try {
    return fs.readFileSync(`${PROC}/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
