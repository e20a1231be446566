/** The stages of a worker's start, as far as the service saw them. */

/** Instants in ISO 8601. */
export interface StartedWorker {
  readonly startedAt: string;
  readonly pulledAt?: string | undefined;
  readonly bootedAt?: string | undefined;
  readonly readyAt?: string | undefined;
  readonly endedAt?: string | undefined;
}

/**
 * `pull`: until its program runs; `boot`: until its first message; `setup`: until its handler is ready. Instants of service
 * time, ms; `toMs` undefined: the stage goes on.
 */
export interface StartStage {
  readonly name: "pull" | "boot" | "setup";
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

/** A stage with an unknown end is part of the next one. The last stage of an ended worker ends with the worker. */
export function startStages(worker: StartedWorker): readonly StartStage[] {
  const { startedAt, pulledAt, bootedAt, readyAt, endedAt } = worker;
  const marks = [
    ["pull", pulledAt],
    ["boot", bootedAt],
    ["setup", readyAt],
  ] as const;
  const stages: StartStage[] = [];
  let fromMs = Date.parse(startedAt);
  for (const [index, [name, at]] of marks.entries()) {
    if (at === undefined && marks.slice(index).some(([, later]) => later !== undefined)) continue;
    const end = at ?? endedAt;
    const toMs = end === undefined ? undefined : Date.parse(end);
    stages.push({ name, fromMs, toMs });
    if (at === undefined || toMs === undefined) return stages;
    fromMs = toMs;
  }
  return stages;
}
