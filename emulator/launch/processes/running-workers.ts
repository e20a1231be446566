/** The workers that a launcher has started and that have not ended yet. */
import type { LaunchedWorker } from "../launcher.ts";

export class RunningWorkers {
  readonly #all = new Set<LaunchedWorker>();

  /** Keeps it until it has ended. Answers it. */
  add(worker: LaunchedWorker): LaunchedWorker {
    this.#all.add(worker);
    void worker.exited.then(() => this.#all.delete(worker));
    return worker;
  }

  /** Kills all and waits until they are gone. */
  async end(): Promise<void> {
    const all = [...this.#all];
    for (const worker of all) worker.kill();
    await Promise.all(all.map(({ exited }) => exited));
  }
}
