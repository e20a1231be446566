/** The handler modules behind local endpoints, made ready for Node (bundled if they are TypeScript) once for all workers. */
import fs from "node:fs";
import { prepareHandler } from "../../runtime/load/prepare-handler.ts";
import type { Template } from "../core/resources/templates/template.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import { type LocalHandler, localImage } from "./local-endpoint.ts";

interface HandlerModule {
  /** The handler as the user named it. */
  readonly handlerPath: string;
  /** Made ready when the service started, or released since; undefined if that failed. */
  readonly modulePath?: string;
  /** What the module was made of, as `stampOf` saw it; nothing of one that was released. */
  readonly stamps: ReadonlyMap<string, string>;
  /** When it began to be made, ms since 1970. */
  readonly madeAt: number;
}

/** What is known of a module before it is watched. */
export interface MadeOf {
  /** The handler's own file among them. */
  readonly files: ReadonlySet<string>;
  /** What changed since then may not be in the module, ms since 1970. */
  readonly madeAt: number;
}

export class HandlerFiles {
  readonly #log: EngineLog;
  readonly #isWatched: boolean;
  readonly #modules = new Map<string, HandlerModule>();

  /** @param isWatched whether somebody replaces the modules of handlers that have changed; default: nobody does */
  constructor(log: EngineLog, isWatched = false) {
    this.#log = log;
    this.#isWatched = isWatched;
  }

  /** Settles when the handler is ready or has failed to be. Never rejects. Workers may ask for it at once. */
  async add(handler: LocalHandler): Promise<void> {
    const image = localImage(handler);
    const madeAt = Date.now();
    this.#modules.set(image, { handlerPath: handler.path, stamps: new Map(), madeAt });
    try {
      const { modulePath, inputs } = await prepareHandler(handler.path);
      const stamps = new Map(inputs.map((file) => [file, stampOf(file)]));
      this.#modules.set(image, { handlerPath: handler.path, modulePath, stamps, madeAt });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.error(
        { endpointId: handler.id, handler: handler.path },
        `the handler cannot be loaded: ${reason}`,
      );
    }
  }

  /** From now on workers get this module, whatever becomes of the files it was made of. */
  replace(handler: LocalHandler, modulePath: string): void {
    this.#modules.set(localImage(handler), {
      handlerPath: handler.path,
      modulePath,
      stamps: new Map(),
      madeAt: Date.now(),
    });
  }

  /** No worker can be started any more. */
  remove(handler: LocalHandler): void {
    this.#modules.delete(localImage(handler));
  }

  /** Of a handler that was added. */
  madeOf(handler: LocalHandler): MadeOf {
    const { stamps, madeAt = 0 } = this.#modules.get(localImage(handler)) ?? {};
    return { files: new Set([handler.path, ...(stamps?.keys() ?? [])]), madeAt };
  }

  /**
   * What a worker of this template loads now. A handler that was not made ready, or has changed since and is not watched,
   * is given to the worker as it is: the worker makes it ready, or reports the reason as its own failure.
   */
  moduleOf(template: Template): string | undefined {
    const known = this.#modules.get(template.imageName);
    if (known === undefined) return undefined;
    const { handlerPath, modulePath = handlerPath, stamps } = known;
    if (this.#isWatched) return modulePath;
    const hasChanged = [...stamps].some(([file, stamp]) => stampOf(file) !== stamp);
    return hasChanged ? handlerPath : modulePath;
  }
}

/** Differs when the file was written again; a file that is gone has a stamp as well. */
function stampOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "gone" : `${stats.mtimeMs} ${stats.size}`;
}
