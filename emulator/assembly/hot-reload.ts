/** Makes the reloader, which acts when handler files change, appear or disappear. */
import { join } from "node:path";
import type { Clock } from "../core/time/clock.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { RunningEngine } from "../engine/engine.ts";
import { releaseHandler } from "../engine/workers/release-handler.ts";
import type { HandlerFiles } from "../handlers/handler-files.ts";
import { localImage, servedEndpoints } from "../handlers/local-endpoint.ts";
import type { EmulatorOptions } from "../options.ts";
import { ChokidarWatcher } from "../reload/chokidar-watcher.ts";
import { EsbuildHandler } from "../reload/esbuild-handler.ts";
import { type ReloadActions, Reloader } from "../reload/reloader.ts";
import type { Volumes } from "../volumes/volumes.ts";

export interface HotReloadParts {
  readonly engine: RunningEngine;
  /** Real time. */
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly handlerFiles: HandlerFiles;
  readonly volumes: Volumes;
  /** Directory of bundles while the service runs. */
  readonly temporaryDir: string;
}

export interface HandlerReloader {
  start(): void;
  /** Idempotent, also before `start`. */
  close(): Promise<void>;
}

/** Undefined without `watch`. */
export function createReloader(
  { watch = false, poll, handlers = [] }: EmulatorOptions,
  parts: HotReloadParts,
): HandlerReloader | undefined {
  if (watch === false) return undefined;
  const { clock, log, handlerFiles, temporaryDir } = parts;
  let bundles = 0;
  const reloader = new Reloader({
    clock,
    log,
    actions: actionsOn(parts),
    openHandler: ({ id, path }) =>
      new EsbuildHandler(path, join(temporaryDir, "reloaded"), `${id}-${++bundles}`),
    openWatcher: (events) => new ChokidarWatcher(events, { poll }),
    search: watch === true ? undefined : watch,
  });
  return {
    start: () => void reloader.start(handlers, (handler) => handlerFiles.madeOf(handler)),
    close: () => reloader.close(),
  };
}

function actionsOn({ engine, log, handlerFiles, volumes }: HotReloadParts): ReloadActions {
  return {
    async release(handler, module) {
      // Workers that start later get it too.
      handlerFiles.replace(handler, module.modulePath);
      await releaseHandler(engine.context, localImage(handler), module);
    },
    async serve(handler) {
      await handlerFiles.add(handler);
      await volumes.openLocal([handler]);
      const createdAt = new Date(engine.context.clock.now()).toISOString();
      await engine.serve(servedEndpoints([handler], createdAt));
      engine.workers.consider(handler.id);
      log.info({ endpointId: handler.id, handler: handler.path }, `serving "${handler.id}"`);
    },
    async withdraw(handler) {
      handlerFiles.remove(handler);
      await releaseHandler(engine.context, localImage(handler), undefined);
      log.warn(
        { endpointId: handler.id, handler: handler.path },
        `"${handler.id}" is no longer served because its file is gone; its jobs wait until it is back`,
      );
    },
  };
}
