/** The handler modules behind local endpoints, made ready for Node (bundled if they are TypeScript) once for all workers. */
import fs from "node:fs";
import { prepareHandler } from "../runtime/load/prepare-handler.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "./core/template.ts";
import type { EngineLog } from "./engine/context.ts";
import type { LocalHandler } from "./local-endpoint.ts";

interface HandlerModule {
  /** The handler as the user named it. */
  readonly handlerPath: string;
  /** Made ready when the service started; undefined if that failed. */
  readonly modulePath?: string;
  /** What the module was made of, as `stampOf` saw it. */
  readonly stamps: ReadonlyMap<string, string>;
}

export class HandlerFiles {
  /** Settles when every handler is ready or has failed to be. Never rejects. */
  readonly ready: Promise<void>;
  readonly #modules = new Map<string, HandlerModule>();

  constructor(handlers: readonly LocalHandler[], log: EngineLog) {
    this.ready = Promise.all(handlers.map((handler) => this.#prepare(handler, log))).then(
      () => undefined,
    );
  }

  /**
   * What a worker of this template loads now. A handler that was not made ready, or has changed since, is given to the
   * worker as it is: the worker makes it ready, or reports the reason as its own failure.
   */
  moduleOf(template: Template): string | undefined {
    const known = this.#modules.get(template.imageName);
    if (known === undefined) return undefined;
    const { handlerPath, modulePath = handlerPath, stamps } = known;
    const hasChanged = [...stamps].some(([file, stamp]) => stampOf(file) !== stamp);
    return hasChanged ? handlerPath : modulePath;
  }

  async #prepare(handler: LocalHandler, log: EngineLog): Promise<void> {
    const image = `${LOCAL_IMAGE_PREFIX}${handler.id}`;
    this.#modules.set(image, { handlerPath: handler.path, stamps: new Map() });
    try {
      const { modulePath, inputs } = await prepareHandler(handler.path);
      const stamps = new Map(inputs.map((file) => [file, stampOf(file)]));
      this.#modules.set(image, { handlerPath: handler.path, modulePath, stamps });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error(
        { endpointId: handler.id, handler: handler.path },
        `the handler cannot be loaded: ${reason}`,
      );
    }
  }
}

/** Differs when the file was written again; a file that is gone has a stamp as well. */
function stampOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "gone" : `${stats.mtimeMs} ${stats.size}`;
}
