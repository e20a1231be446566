/** Base of the launchers that run workers on this machine without an engine. */
import type { Template } from "../core/resources/templates/template.ts";
import type { LaunchedWorker, Launcher, WorkerOrder } from "./launcher.ts";

export interface LocalLauncherOptions {
  /** The kind of template in refusals, for example `handler file`. */
  readonly what: string;
  readonly has: (template: Template) => boolean;
  readonly launch: (order: WorkerOrder) => LaunchedWorker;
}

export function localLauncher({ what, has, launch }: LocalLauncherOptions): Launcher {
  const running = new Set<LaunchedWorker>();
  return {
    refuses(template) {
      if (has(template)) return undefined;
      return `no ${what} is served for the image "${template.imageName}"`;
    },
    launch(order) {
      const worker = launch(order);
      running.add(worker);
      void worker.exited.then(() => running.delete(worker));
      return worker;
    },
    async close() {
      const all = [...running];
      for (const worker of all) worker.kill();
      await Promise.all(all.map(({ exited }) => exited));
    },
  };
}
