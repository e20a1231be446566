/** The only place that moves a worker in its life: by the table, with all that a move sets off. */
import type { Clock } from "../../core/time/clock.ts";
import type { WorkerEffect, WorkerEvent } from "../../core/workers/worker-event.ts";
import { moveOf } from "../../core/workers/worker-transition.ts";
import type { UsageMeter } from "../billing/usage-meter.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import type { Fleet } from "./fleet.ts";
import type { WorkerHandle } from "./worker-handle.ts";

export interface WorkerMoverParts {
  /** Service time. */
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly log: EngineLog;
  readonly fleet: Pick<Fleet, "changed" | "remove">;
  readonly usage: Pick<UsageMeter, "ended">;
  readonly endpointChanged: (endpointId: string) => void;
  /** Begins to bill the worker. */
  readonly bill: (worker: WorkerHandle) => void;
}

export class WorkerMover {
  readonly #parts: WorkerMoverParts;

  constructor(parts: WorkerMoverParts) {
    this.#parts = parts;
  }

  /** False when the event is refused: it says nothing of a worker in this phase, and nothing changes. */
  move(worker: WorkerHandle, event: WorkerEvent): boolean {
    const { clock, realClock, fleet } = this.#parts;
    const move = moveOf(worker.life, event, { now: clock.now(), realNow: realClock.now() });
    if (!move) return false;
    const shown = worker.state;
    worker.life = move.life;
    if (worker.state !== shown) fleet.changed(worker);
    for (const effect of move.effects) this.#carryOut(worker, effect);
    return true;
  }

  /** It says something, whatever it is; to be disposed of when that has been dealt with. */
  hear(worker: WorkerHandle): Disposable {
    const { realClock } = this.#parts;
    worker.speaks(realClock.now());
    this.move(worker, "speak");
    return { [Symbol.dispose]: () => worker.wasHeard(realClock.now()) };
  }

  #carryOut(worker: WorkerHandle, effect: WorkerEffect): void {
    const { bill, endpointChanged, fleet, log, usage } = this.#parts;
    const { id: workerId, endpointId, state } = worker;
    switch (effect) {
      case "bill":
        return bill(worker);
      case "announce":
        log.info({ workerId, endpointId, state }, `worker is ${state}`);
        return endpointChanged(endpointId);
      case "drain":
        worker.launched?.drain();
        return worker.send({ drain: true });
      case "kill":
        return worker.launched?.kill();
      case "end":
        usage.ended(workerId);
        return worker.end();
      case "remove":
        return fleet.remove(worker);
    }
  }
}
