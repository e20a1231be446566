/** How long an emulator lives: whether it keeps its process running, and how it stops. */
import type { RunningEngine } from "../engine/engine.ts";
import type { HttpServer } from "../http/server.ts";
import type { ServerLife } from "../net/server-life.ts";
import type { EmulatorOptions } from "../options.ts";
import { holding } from "../test-kit/holding.ts";
import type { HandlerReloader } from "./hot-reload.ts";

/** Variable that `node --test` gives to the processes of test files. */
const NODE_TEST = "NODE_TEST_CONTEXT";

/**
 * Keeps the process running, like any server. The exception is an emulator that a test may have forgotten: it has no stored data, and
 * either `node --test` runs it, or its handlers are functions and its port is any free one.
 */
export class EmulatorLife implements ServerLife {
  readonly holdsProcess: boolean;
  readonly #haste = new AbortController();

  constructor({ endpoints, handlers, commands, images, dataDir, store, port }: EmulatorOptions) {
    const hasFunctionsAlone = endpoints !== undefined && !(handlers ?? commands ?? images);
    const isTests = (hasFunctionsAlone && port === 0) || process.env[NODE_TEST] !== undefined;
    this.holdsProcess = !isTests || (dataDir ?? store) !== undefined;
  }

  get haste(): AbortSignal {
    return this.#haste.signal;
  }

  hurry(): void {
    this.#haste.abort();
  }
}

interface StoppableParts {
  readonly life: EmulatorLife;
  readonly engine: RunningEngine;
  readonly containers: { beginStop(): void };
  readonly kubernetes: { beginStop(): void } | undefined;
  readonly http: HttpServer;
  readonly reloader: HandlerReloader | undefined;
}

/** Waits for the end of the work or ends it, and takes everything down. */
export function stopOf(
  { life, engine, containers, kubernetes, http, reloader }: StoppableParts,
  made: AsyncDisposableStack,
) {
  let stopped: Promise<void> | undefined;
  const begin = async (how: "drain" | "kill") => {
    // The port stays open meanwhile, for health checks.
    const worked = engine.stop(how);
    await Promise.all([http.stop(worked), reloader?.close(), worked]);
    await made.disposeAsync();
  };
  return async (how: "drain" | "kill" = "drain"): Promise<void> => {
    containers.beginStop();
    kubernetes?.beginStop();
    if (how === "kill") {
      life.hurry();
      engine.killAll();
      engine.webhooks.abort();
    }
    stopped ??= holding(begin(how));
    return stopped;
  };
}
