/** Signals between the running parts of the engine. */
import { guarded, type OnDefect } from "../../core/guarded.ts";
import type { InputDamage } from "../steps/wake-port.ts";
import type { Assignment } from "../steps/effects.ts";
import type { RecordChange } from "../steps/state/record-book.ts";

/** One part of the engine raises a signal, and parts that are made later listen to it. */
export class Signal<T = void> {
  readonly #onDefect: OnDefect;
  readonly #listeners: ((value: T) => void)[] = [];

  constructor(onDefect: OnDefect) {
    this.#onDefect = onDefect;
  }

  /** Calls `listener` with each value that is raised from now on, after the listeners before it. */
  on(listener: (value: T) => void): void {
    this.#listeners.push(guarded(listener, this.#onDefect));
  }

  /** Bound to the signal, so that it can be passed on alone. */
  readonly raise = (value: T): void => {
    for (const listener of this.#listeners) listener(value);
  };
}

export type EngineSignals = ReturnType<typeof createSignals>;

/** Makes the signals that the running parts of the engine listen to. */
export function createSignals(onDefect: OnDefect) {
  return {
    /** An endpoint with changed settings or workers, or with jobs to look at again. */
    endpointChanged: new Signal<string>(onDefect),
    /** An endpoint with jobs that a step changed. */
    jobsChanged: new Signal<string>(onDefect),
    /** A pod that was created, changed or deleted. */
    podChanged: new Signal<string>(onDefect),
    webhookDue: new Signal(onDefect),
    /** A job has a new webhook call, which waits for the earlier ones of the job. */
    laterDelivery: new Signal<string>(onDefect),
    /** The due moment of the timer for job rules has come. */
    jobsDue: new Signal(onDefect),
    /** A job that cannot be handed to its worker. */
    inputDamaged: new Signal<InputDamage>(onDefect),
    /** A job that was handed over and is not sent: its input cannot be read now, or another process may own its endpoint. */
    notSent: new Signal<Assignment>(onDefect),
    /** Partitions of a refused batch: another process owns them. */
    partitionsLost: new Signal<ReadonlySet<number>>(onDefect),
    /** Records that other processes changed. */
    recordsChanged: new Signal<readonly RecordChange[]>(onDefect),
    /** A launcher can now start workers or pods that it could not before. */
    launcherWilling: new Signal(onDefect),
    /** A launcher has finished its search for workers of former processes. */
    workersFound: new Signal(onDefect),
  };
}

/** The signals as functions that use cases call. */
export function raisersOf(signals: EngineSignals) {
  return {
    endpointChanged: signals.endpointChanged.raise,
    podChanged: signals.podChanged.raise,
    webhookDue: signals.webhookDue.raise,
    inputDamaged: signals.inputDamaged.raise,
    notSent: signals.notSent.raise,
  };
}
