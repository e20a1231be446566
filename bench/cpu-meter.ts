/** Adds up the processor time that named processes use while a subject is measured. */
import type { LoadResult } from "./load/closed-loop.ts";
import { cpuMs } from "./processes.ts";
import { number } from "./table.ts";

export class CpuMeter {
  readonly #pids: Readonly<Record<string, number>>;
  readonly #usedMs = new Map<string, number>();
  #answers = 0;

  constructor(pids: Readonly<Record<string, number>>) {
    this.#pids = pids;
  }

  /** Measures a load and charges the processes' time to its answers. */
  async during(load: () => Promise<LoadResult>): Promise<LoadResult> {
    const before = this.#read();
    const result = await load();
    for (const [name, usedMs] of this.#read()) {
      const more = usedMs - (before.get(name) ?? 0);
      this.#usedMs.set(name, (this.#usedMs.get(name) ?? 0) + more);
    }
    this.#answers += result.answers;
    return result;
  }

  /** For example `emulator 120 µs, supervisor 60 µs`; empty before the first load. */
  perJob(): string {
    return [...this.#usedMs]
      .map(([name, usedMs]) => `${name} ${number((usedMs * 1000) / this.#answers)} µs`)
      .join(", ");
  }

  #read(): ReadonlyMap<string, number> {
    return new Map(Object.entries(this.#pids).map(([name, pid]) => [name, cpuMs(pid)]));
  }
}
