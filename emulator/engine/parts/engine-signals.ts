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

/** The signals that the running parts of the engine listen to. */
export interface EngineSignals {
  /** An endpoint with changed settings or workers, or with jobs to look at again. */
  readonly endpointChanged: Signal<string>;
  /** An endpoint with jobs that a step changed. */
  readonly jobsChanged: Signal<string>;
  /** A pod that was created, changed or deleted. */
  readonly podChanged: Signal<string>;
  /** A webhook call became due. */
  readonly webhookDue: Signal;
  /** A job has a new webhook call, which waits for the earlier ones of the job. */
  readonly laterDelivery: Signal<string>;
  /** The due moment of the timer for job rules has come. */
  readonly jobsDue: Signal;
  /** A job that cannot be handed to its worker. */
  readonly inputDamaged: Signal<InputDamage>;
  /** A job that was handed over and is not sent: its input cannot be read now, or another process may own its endpoint. */
  readonly notSent: Signal<Assignment>;
  /** Partitions of a refused batch: another process owns them. */
  readonly partitionsLost: Signal<ReadonlySet<number>>;
  /** Records that other processes changed. */
  readonly recordsChanged: Signal<readonly RecordChange[]>;
  /** A launcher can now start workers or pods that it could not before. */
  readonly launcherWilling: Signal;
  /** A launcher has finished its search for workers of former processes. */
  readonly workersFound: Signal;
}

export function createSignals(onDefect: OnDefect): EngineSignals {
  return {
    endpointChanged: new Signal(onDefect),
    jobsChanged: new Signal(onDefect),
    podChanged: new Signal(onDefect),
    webhookDue: new Signal(onDefect),
    laterDelivery: new Signal(onDefect),
    jobsDue: new Signal(onDefect),
    inputDamaged: new Signal(onDefect),
    notSent: new Signal(onDefect),
    partitionsLost: new Signal(onDefect),
    recordsChanged: new Signal(onDefect),
    launcherWilling: new Signal(onDefect),
    workersFound: new Signal(onDefect),
  };
}

/** The signals as functions that use cases call. */
export function raisersOf({
  endpointChanged,
  podChanged,
  webhookDue,
  inputDamaged,
  notSent,
}: EngineSignals) {
  return {
    endpointChanged: endpointChanged.raise,
    podChanged: podChanged.raise,
    webhookDue: webhookDue.raise,
    inputDamaged: inputDamaged.raise,
    notSent: notSent.raise,
  };
}
