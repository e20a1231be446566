/** The handler modules of local endpoints, prepared for Node (bundled if they are TypeScript) once for all workers. */
import fs from "node:fs";
import { prepareHandler } from "../../runtime/load/prepare-handler.ts";
import type { Template } from "../core/resources/templates/template.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import { type LocalHandler, localImage } from "./local-endpoint.ts";

interface HandlerModule {
  /** The handler's path as the user wrote it. */
  readonly handlerPath: string;
  /** The module that was prepared at the start or released since. Undefined if the preparation failed. */
  readonly modulePath?: string;
  /** The files of the module with their `stampOf`. Empty for a released module. */
  readonly stamps: ReadonlyMap<string, string>;
  /** When its preparation began, ms since 1970. */
  readonly madeAt: number;
}

/** The known files of a module before it is watched. */
export interface MadeOf {
  /** The files, with the handler's own. */
  readonly files: ReadonlySet<string>;
  /** Moment after which changes may not be in the module, ms since 1970. */
  readonly madeAt: number;
}

export class HandlerFiles {
  readonly #log: EngineLog;
  readonly #isWatched: boolean;
  readonly #modules = new Map<string, HandlerModule>();

  /** @param isWatched whether the modules of changed handlers are replaced; default: false */
  constructor(log: EngineLog, isWatched = false) {
    this.#log = log;
    this.#isWatched = isWatched;
  }

  /** Prepares the handler. Resolves also if that fails; never rejects. Workers may ask for the handler at once. */
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

  /** Gives workers this module from now on, even if its files change. */
  replace(handler: LocalHandler, modulePath: string): void {
    this.#modules.set(localImage(handler), {
      handlerPath: handler.path,
      modulePath,
      stamps: new Map(),
      madeAt: Date.now(),
    });
  }

  /** Starts no further worker of the handler. */
  remove(handler: LocalHandler): void {
    this.#modules.delete(localImage(handler));
  }

  /** The files of a handler that was added. */
  madeOf(handler: LocalHandler): MadeOf {
    const { stamps, madeAt = 0 } = this.#modules.get(localImage(handler)) ?? {};
    return { files: new Set([handler.path, ...(stamps?.keys() ?? [])]), madeAt };
  }

  /**
   * The module that a worker of this template loads now. A handler that is not prepared, or has changed since and is not watched, is
   * given to the worker as it is. The worker prepares it, or reports the reason as its own failure.
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

/** Changes when the file is written again. A missing file has a stamp too. */
function stampOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "gone" : `${stats.mtimeMs} ${stats.size}`;
}
