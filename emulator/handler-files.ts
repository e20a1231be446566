/** The handler modules behind local endpoints, made ready for Node (bundled if they are TypeScript) once for all workers. */
import { prepareHandler } from "../runtime/load/prepare-handler.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "./core/template.ts";
import type { EngineLog } from "./engine/context.ts";
import type { LocalHandler } from "./local-endpoint.ts";

export class HandlerFiles {
  /** Settles when every handler is ready or has failed to be. Never rejects. */
  readonly ready: Promise<void>;
  readonly #modules = new Map<string, string>();

  constructor(handlers: readonly LocalHandler[], log: EngineLog) {
    this.ready = Promise.all(handlers.map((handler) => this.#prepare(handler, log))).then(
      () => undefined,
    );
  }

  /** The module workers of this template load. */
  moduleOf(template: Template): string | undefined {
    return this.#modules.get(template.imageName);
  }

  async #prepare(handler: LocalHandler, log: EngineLog): Promise<void> {
    const image = `${LOCAL_IMAGE_PREFIX}${handler.id}`;
    // A handler that cannot be made ready is given to its worker as it is: that reports the reason as its own failure.
    this.#modules.set(image, handler.path);
    try {
      const prepared = await prepareHandler(handler.path);
      this.#modules.set(image, prepared.modulePath);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error(
        { endpointId: handler.id, handler: handler.path },
        `the handler cannot be loaded: ${reason}`,
      );
    }
  }
}
