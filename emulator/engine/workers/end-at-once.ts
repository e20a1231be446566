/** Ends a worker without waiting for its work. */
import type { WorkerHandle } from "./worker-handle.ts";
import type { WorkerMover } from "./move-worker.ts";

/** Sends the worker no further message and kills it. Its end counts as expected. */
export function endAtOnce(mover: Pick<WorkerMover, "move">, worker: WorkerHandle): void {
  worker.cutOff();
  if (!mover.move(worker, "forget")) mover.move(worker, "retire");
  worker.launched?.kill();
  if (!worker.isExternal) return;
  mover.move(worker, "declare-lost");
  mover.move(worker, "unregister");
}
