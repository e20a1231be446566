/** The runs of a launcher that uses an engine: Docker, or a cluster. */
import { imageNameProblem } from "../../core/resources/templates/image-name.ts";
import { LOCAL_IMAGE_PREFIX } from "../../core/resources/templates/template.ts";
import { pause, within } from "../../core/time/pause.ts";
import type { Launcher, LaunchLog } from "../launcher.ts";
import { Run, type RunHost, type RunProgram, type RunSteps } from "./run.ts";

/** Timeout of a silent engine while the service stops, and interval at which it is asked. */
const STOP_PATIENCE_MS = 10_000;
const STOP_ASK_MS = 500;

export interface EngineLauncher extends Launcher {
  /** Searches for the engine, and removes leftovers of killed services. Never rejects. */
  reach(): Promise<void>;
  /** Call it when the service begins to stop: from then on, runs on an engine that does not answer are left to the next start. */
  beginStop(): void;
}

export interface RunsOptions extends RunHost {
  /** The plural noun for the runs in messages, for example `containers`. */
  readonly what: string;
  /** Whether the engine answers. Never rejects, and may never settle. */
  readonly answers: () => Promise<boolean>;
  readonly log: LaunchLog;
}

export interface StartedProgram extends Omit<RunProgram, "met"> {
  /** Ids for the log. */
  readonly about: Readonly<Record<string, string>>;
}

type Ending = Pick<Run<unknown, unknown>, "abandon" | "exited" | "kill">;

/** @template Steps the steps of a run as its launcher knows them */
export class Runs<Steps extends object> {
  readonly #options: RunsOptions;
  readonly #running = new Map<string, { readonly steps: Steps; readonly run: Ending }>();
  #isStopping = false;
  #isClosed = false;
  #hasLeftBehind = false;

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get hasLeftBehind(): boolean {
    return this.#hasLeftBehind;
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  stepsOf(id: string): Steps | undefined {
    return this.#running.get(id)?.steps;
  }

  get all(): readonly Steps[] {
    return [...this.#running.values()].map(({ steps }) => steps);
  }

  start<Thing, Place>(
    id: string,
    steps: RunSteps<Thing, Place> & Steps,
    { about, ...program }: StartedProgram,
  ): Run<Thing, Place> {
    const met = (limit: string) =>
      this.#options.log.warn(about, `the program met a limit of its container: ${limit}`);
    const run = new Run(steps, this.#options, { ...program, met });
    this.#running.set(id, { steps, run });
    void run.exited.then(() => this.#running.delete(id));
    return run;
  }

  beginStop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    void this.#leaveBehind();
  }

  /** Ends all runs, and resolves when they have ended or were left. */
  async close(): Promise<void> {
    this.beginStop();
    const runs = [...this.#running.values()].map(({ run }) => run);
    for (const run of runs) run.kill();
    await Promise.all(runs.map(({ exited }) => exited));
    this.#isClosed = true;
  }

  /** Resolves when `work` is done or the service has waited long enough for the engine. */
  async whileStopping(work: Promise<unknown>): Promise<void> {
    await within(this.#options.clock, STOP_PATIENCE_MS, work);
  }

  async #leaveBehind(): Promise<void> {
    const { clock, log, what } = this.#options;
    while (this.#running.size === 0 || (await this.#engineAnswers())) {
      await pause(clock, STOP_ASK_MS);
      if (this.#isClosed) return;
    }
    if (this.#isClosed) return;
    const reason = `it did not answer for ${STOP_PATIENCE_MS / 1_000} s while the service stopped`;
    log.warn({ count: this.#running.size }, `${what} are left to the next start: ${reason}`);
    this.#hasLeftBehind = true;
    for (const { run } of this.#running.values()) run.abandon(reason);
  }

  async #engineAnswers(): Promise<boolean> {
    const { clock, answers } = this.#options;
    const until = clock.now() + STOP_PATIENCE_MS;
    for (;;) {
      const leftMs = until - clock.now();
      if (leftMs <= 0) return false;
      const answer = answers();
      if ((await within(clock, leftMs, answer)) && (await answer)) return true;
      await pause(clock, Math.min(STOP_ASK_MS, leftMs));
      if (this.#isClosed) return true;
    }
  }
}

/** Why an engine cannot run an image with this name. @param what as in `RunsOptions` */
export function imageRefusal(imageName: string, what: string): string | undefined {
  if (imageName.startsWith(LOCAL_IMAGE_PREFIX))
    return `images below ${LOCAL_IMAGE_PREFIX} are handler files, not ${what}`;
  // A record from before the check of names may have any name.
  const problem = imageNameProblem(imageName);
  return problem === undefined ? undefined : `no image can have this name: ${problem}`;
}
