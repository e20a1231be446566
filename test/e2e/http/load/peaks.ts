/** Peak memory and descriptors of a process, and the latency of `/health`, while a load runs. */
import fs from "node:fs";
import { PROC } from "../../../setup/proc.ts";

const SAMPLE_MS = 100;

export class Peaks implements Disposable {
  residentBytes = 0;
  descriptors = 0;
  /** Latency of each answer of the probed URL, in ms. */
  readonly latencies: number[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param probe URL that is requested once per sample, without waiting for earlier answers; absent: no requests */
  constructor(pid: number | undefined, probe?: () => Promise<unknown>) {
    this.#timer = setInterval(() => {
      this.residentBytes = Math.max(this.residentBytes, residentBytes(pid));
      this.descriptors = Math.max(this.descriptors, openFiles(pid));
      if (probe) void this.#time(probe);
    }, SAMPLE_MS);
  }

  /** The 0.99 quantile of the latencies. */
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
