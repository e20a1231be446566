/** The only place that moves a worker in its life: by the table, with all that a move sets off. */
import type { WorkerEffect, WorkerEvent } from "../../core/workers/worker-event.ts";
import { moveOf } from "../../core/workers/worker-transition.ts";
import { beginToBill } from "../billing/bill-worker.ts";
import type { Uses } from "../context.ts";
import type { WorkerHandle } from "./worker-handle.ts";

export type MoveUses = Uses<
  "clock" | "directory" | "endpointChanged" | "fleet" | "log" | "prices" | "realClock" | "usage"
>;

/** False when the event is refused: it says nothing of a worker in this phase, and nothing changes. */
export function moveWorker(engine: MoveUses, worker: WorkerHandle, event: WorkerEvent): boolean {
  const at = { now: engine.clock.now(), realNow: engine.realClock.now() };
  const move = moveOf(worker.life, event, at);
  if (!move) return false;
  const shown = worker.state;
  worker.life = move.life;
  if (worker.state !== shown) engine.fleet.changed(worker);
  for (const effect of move.effects) carryOut(engine, worker, effect);
  return true;
}

function carryOut(engine: MoveUses, worker: WorkerHandle, effect: WorkerEffect): void {
  const { id: workerId, endpointId, state } = worker;
  switch (effect) {
    case "bill":
      return beginToBill(engine, worker);
    case "announce":
      engine.log.info({ workerId, endpointId, state }, `worker is ${state}`);
      return engine.endpointChanged(endpointId);
    case "drain":
      worker.launched?.drain();
      return worker.send({ drain: true });
    case "kill":
      return worker.launched?.kill();
    case "end":
      engine.usage.ended(workerId);
      return worker.end();
    case "remove":
      return engine.fleet.remove(worker);
  }
}

/** It says something, whatever it is; to be disposed of when that has been dealt with. */
export function hear(engine: MoveUses, worker: WorkerHandle): Disposable {
  const { realClock } = engine;
  worker.speaks(realClock.now());
  moveWorker(engine, worker, "speak");
  return { [Symbol.dispose]: () => worker.wasHeard(realClock.now()) };
}
