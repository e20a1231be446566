/** The highest memory and descriptors of a process, and how long `/health` takes to answer, while a load runs. */
import fs from "node:fs";
import { PROC } from "../../../setup/proc.ts";

const SAMPLE_MS = 100;

export class Peaks implements Disposable {
  residentBytes = 0;
  descriptors = 0;
  /** How long each answer of the probed URL took, in ms. */
  readonly latencies: number[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param probe asked once per sample, with the answers before still under way; absent: nothing is asked */
  constructor(pid: number | undefined, probe?: () => Promise<unknown>) {
    this.#timer = setInterval(() => {
      this.residentBytes = Math.max(this.residentBytes, residentBytes(pid));
      this.descriptors = Math.max(this.descriptors, openFiles(pid));
      if (probe) void this.#time(probe);
    }, SAMPLE_MS);
  }

  /** The latency that 99 % of the probes do not exceed. */
  get p99Ms(): number {
    const sorted = this.latencies.toSorted((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #time(probe: () => Promise<unknown>): Promise<void> {
    const begun = performance.now();
    await probe();
    this.latencies.push(performance.now() - begun);
  }
}

export function residentBytes(pid: number | undefined): number {
  const status = fs.readFileSync(`${PROC}/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

export function openFiles(pid: number | undefined): number {
  return fs.readdirSync(`${PROC}/${pid}/fd`).length;
}
