/** Ends a worker without waiting for its work. */
import type { WorkerHandle } from "./worker-handle.ts";
import type { WorkerMover } from "./move-worker.ts";

/** The worker gets no further message, and none of its messages counts as an unexpected end. */
export function endAtOnce(mover: Pick<WorkerMover, "move">, worker: WorkerHandle): void {
  worker.cutOff();
  if (!mover.move(worker, "forget")) mover.move(worker, "retire");
  worker.launched?.kill();
  if (!worker.isExternal) return;
  mover.move(worker, "declare-lost");
  mover.move(worker, "unregister");
}
