/** Sources of the live queue's double that wait for milliseconds where real ones wait for seconds. */
import type { WorkerLog } from "../../runtime/protocol/worker-log.ts";
import { LiveJobSource } from "../../runtime/source/live/live-job-source.ts";
import type { LiveTimes } from "../../runtime/source/live/live-times.ts";
import { readLiveSettings } from "../../runtime/source/live/settings.ts";
import { Connected } from "../contract/job-source/connected.ts";
import type { LiveQueue } from "./live-queue.ts";

const SHORT_TIMES: Partial<LiveTimes> = {
  emptyPauseMs: 5,
  tooManyPauseMs: 10,
  retry: { firstMs: 1, maxMs: 10 },
};

/** Shorter than one that the environment can ask for. */
const PING_INTERVAL_MS = 100;

export interface LiveSourceOptions {
  readonly times?: Partial<LiveTimes>;
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: WorkerLog;
}

export function newLiveSource(queue: LiveQueue, options: LiveSourceOptions = {}): LiveJobSource {
  return liveSource({ ...queue.environment(), ...options.env }, options);
}

/** @param env that of a worker of the live service */
export function liveSource(
  env: Readonly<Record<string, string>>,
  { log = { write: () => undefined }, times }: Omit<LiveSourceOptions, "env"> = {},
): LiveJobSource {
  return new LiveJobSource({
    settings: { ...readLiveSettings(env), pingIntervalMs: PING_INTERVAL_MS },
    runtimeVersion: "1.2.3",
    log,
    times: { ...SHORT_TIMES, ...times },
  });
}

/** A source under test, with its received messages and its log. Use with `await using`. */
export class LiveListener extends Connected implements AsyncDisposable {
  readonly said: string[];

  private constructor(source: LiveJobSource, said: string[]) {
    super(source);
    this.said = said;
  }

  /** A source that requests `credit` jobs. */
  static start(queue: LiveQueue, credit: number, options: LiveSourceOptions = {}): LiveListener {
    const said: string[] = [];
    const log: WorkerLog = { write: (_, message) => void said.push(message) };
    const listener = new LiveListener(newLiveSource(queue, { log, ...options }), said);
    listener.source.ready(Math.max(1, credit));
    if (credit > 0) listener.source.grant(credit);
    return listener;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source.close();
  }
}
