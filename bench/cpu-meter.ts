/** The processor time that named processes use while a load is measured. */
import type { LoadResult } from "./load/closed-loop.ts";
import { cpuMs } from "./processes.ts";
import { number } from "./table.ts";

export interface MeteredLoad extends LoadResult {
  /** By the process's name, all its threads. */
  readonly usedMs: Readonly<Record<string, number>>;
}

export async function metered(
  pids: Readonly<Record<string, number>>,
  load: () => Promise<LoadResult>,
): Promise<MeteredLoad> {
  const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, ms: cpuMs(pid) }));
  const result = await load();
  const used = before.map(({ name, pid, ms }) => [name, cpuMs(pid) - ms] as const);
  return { ...result, usedMs: Object.fromEntries(used) };
}

/** Round by round. */
export function microsPerJob(rounds: readonly MeteredLoad[], process: string): number[] {
  return rounds.map(({ usedMs, answers }) => ((usedMs[process] ?? NaN) * 1000) / answers);
}

/** Of all rounds together, for example `emulator 120 µs, supervisor 60 µs`. */
export function perJob(rounds: readonly MeteredLoad[]): string {
  const answers = rounds.reduce((total, round) => total + round.answers, 0);
  return Object.keys(rounds[0]?.usedMs ?? {})
    .map((name) => {
      const usedMs = rounds.reduce((total, round) => total + (round.usedMs[name] ?? 0), 0);
      return `${name} ${number((usedMs * 1000) / answers)} µs`;
    })
    .join(", ");
}
