/** Ends a worker without waiting for what it does. */
import type { WorkerHandle } from "./worker-handle.ts";
import type { WorkerMover } from "./move-worker.ts";

/** Nothing is said to it any more, and nothing of what it says counts as an end that was not asked for. */
export function endAtOnce(mover: Pick<WorkerMover, "move">, worker: WorkerHandle): void {
  worker.cutOff();
  if (!mover.move(worker, "forget")) mover.move(worker, "retire");
  worker.launched?.kill();
  if (!worker.isExternal) return;
  mover.move(worker, "declare-lost");
  mover.move(worker, "unregister");
}
