/** Measures the processor time of named processes during a load. */
import type { LoadResult } from "./load/closed-loop.ts";
import { cpuMs, cpuMsWithChildren } from "./processes.ts";
import { sum } from "./statistics.ts";
import { number } from "./table.ts";

export interface MeteredLoad extends LoadResult {
  /** Processor time by the name of the process, with all its threads. */
  readonly usedMs: Readonly<Record<string, number>>;
}

/** Measured processes by name. A name stands for one process, several, or one with its children. */
export type MeteredProcesses = Readonly<
  Record<string, number | readonly number[] | { readonly withChildren: number }>
>;

export async function metered(
  processes: MeteredProcesses,
  load: () => Promise<LoadResult>,
): Promise<MeteredLoad> {
  const before = Object.entries(processes).map(([name, of]) => ({ name, of, ms: usedSoFarMs(of) }));
  const result = await load();
  const used = before.map(({ name, of, ms }) => [name, usedSoFarMs(of) - ms] as const);
  return { ...result, usedMs: Object.fromEntries(used) };
}

function usedSoFarMs(of: MeteredProcesses[string]): number {
  if (typeof of === "object" && "withChildren" in of) return cpuMsWithChildren(of.withChildren);
  return [of].flat().reduce((total, pid) => total + cpuMs(pid), 0);
}

/** Round by round. */
export function microsPerJob(rounds: readonly MeteredLoad[], process: string): number[] {
  return rounds.map(({ usedMs, answers }) => ((usedMs[process] ?? NaN) * 1000) / answers);
}

/** All processes together. */
export function microsPerJobInAll(rounds: readonly MeteredLoad[]): number[] {
  const names = Object.keys(rounds[0]?.usedMs ?? {});
  return sum(...names.map((name) => microsPerJob(rounds, name)));
}

/** All rounds together, for example `emulator 120 µs, supervisor 60 µs`. */
export function perJob(rounds: readonly MeteredLoad[]): string {
  const answers = rounds.reduce((total, round) => total + round.answers, 0);
  return Object.keys(rounds[0]?.usedMs ?? {})
    .map((name) => {
      const usedMs = rounds.reduce((total, round) => total + (round.usedMs[name] ?? 0), 0);
      return `${name} ${number((usedMs * 1000) / answers)} µs`;
    })
    .join(", ");
}
