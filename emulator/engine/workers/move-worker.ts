/** The only place that changes the life of a worker: by the table, with the effects of the transition. */
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Tell } from "../../core/observe/fact.ts";
import type { WorkerEffect, WorkerEvent } from "../../core/workers/worker-event.ts";
import { moveOf } from "../../core/workers/worker-transition.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import type { Fleet } from "./fleet.ts";
import type { WorkerHandle } from "./worker-handle.ts";

export interface WorkerMoverParts {
  /** Service time. */
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly log: EngineLog;
  readonly fleet: Pick<Fleet, "changed" | "remove">;
  readonly usage: { ended(workerId: string): void };
  readonly tell: Tell;
  readonly endpointChanged: (endpointId: string) => void;
  readonly bill: (worker: WorkerHandle) => void;
}

export class WorkerMover {
  readonly #parts: WorkerMoverParts;

  constructor(parts: WorkerMoverParts) {
    this.#parts = parts;
  }

  /** False when the table has no row for the event in this phase: nothing changes then. */
  move(worker: WorkerHandle, event: WorkerEvent): boolean {
    const { clock, realClock, fleet } = this.#parts;
    const move = moveOf(worker.life, event, { now: clock.now(), realNow: realClock.now() });
    if (!move) return false;
    const before = worker.state;
    worker.life = move.life;
    noteStage(worker, event, clock.now());
    if (worker.state !== before) fleet.changed(worker, before);
    for (const effect of move.effects) this.#release(worker, effect);
    return true;
  }

  /** Records that a message came from the worker; dispose of the result when the message has been handled. */
  receive(worker: WorkerHandle): Disposable {
    const { clock, endpointChanged, realClock } = this.#parts;
    const { contact } = worker;
    worker.bootedAt ??= clock.now();
    contact.wasMade = true;
    contact.underWay += 1;
    contact.lastAt = realClock.now();
    if (worker.life.phase === "unresponsive" && this.move(worker, "regain-contact"))
      endpointChanged(worker.endpointId);
    return {
      [Symbol.dispose]: () => {
        contact.underWay -= 1;
        contact.lastAt = realClock.now();
      },
    };
  }

  /** A lease of the worker has expired: it gets no job until it sends a message. No effect while one is being handled. */
  loseContact(worker: WorkerHandle): void {
    if (worker.contact.underWay === 0) this.move(worker, "lose-contact");
  }

  #release(worker: WorkerHandle, effect: WorkerEffect): void {
    const { bill, endpointChanged, fleet, log, tell, usage } = this.#parts;
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
        tell({ type: "worker-ended", workerId });
        return worker.end();
      case "remove":
        return fleet.remove(worker);
    }
  }
}

function noteStage(worker: WorkerHandle, event: WorkerEvent, now: number): void {
  if (event === "begin") worker.pulledAt = now;
  if (worker.state === "draining") worker.drainingAt ??= now;
  if (event !== "report-ready") return;
  const { startedAt: workerStartedAt, pulledAt, bootedAt } = worker;
  worker.start = { workerStartedAt, ...defined({ pulledAt, bootedAt }), readyAt: now };
}
