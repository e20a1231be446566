/** The functions of endpoints of this process, and the workers that call them. */
import { readModule, type LoadedHandler } from "../../runtime/handler/module/read-module.ts";
import { InProcessIsolate } from "../../runtime/in-process/in-process-isolate.ts";
import type { WorkerLog } from "../../runtime/protocol/worker-log.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { WORKER_ENV } from "../../runtime/protocol/environment/worker-env.ts";
import {
  type LocalWorkerSide,
  type LocalServiceSide,
  localSessions,
} from "../../runtime/source/local-session.ts";
import { SessionSource } from "../../runtime/source/session-source.ts";
import { RUNTIME_VERSION } from "../../runtime/version.ts";
import { startWorker, type WorkerEnd } from "../../runtime/worker.ts";
import type { Template } from "../core/resources/templates/template.ts";
import { declaredInitLimitMs } from "../core/workers/init-limit.ts";
import type { FunctionEndpoint } from "./function-endpoint.ts";
import { localImage } from "./local-endpoint.ts";
import type { InProcessWorker } from "../launch/in-process-launcher.ts";
import type { WorkerOrder } from "../launch/launcher.ts";
import { inheritedEnvironment } from "../launch/processes/worker-process.ts";

/** Exit codes, the same as those of `sv-worker`. */
const EXIT_CODES: Readonly<Record<WorkerEnd, number>> = {
  drained: 0,
  stopped: 1,
  "handler-unusable": 3,
  refused: 4,
};

interface ServedFunction {
  readonly handler: LoadedHandler;
  readonly graceMs: number;
}

export interface HandlerFunctionsOptions {
  readonly endpoints: Readonly<Record<string, FunctionEndpoint>>;
  /** Parent of the jobs' directories. */
  readonly tempRoot: string;
  /** Opens a session of the worker with that token. Returns the service's side, or a sentence if there is none. */
  readonly openSession: (workerToken: string, worker: LocalWorkerSide) => LocalServiceSide | string;
  /** The environment variables that a worker process would get. Must not throw. */
  readonly workerEnv: (order: WorkerOrder) => Readonly<Record<string, string>>;
  /** Called with the log output of a job's handler. */
  readonly jobLine: (jobId: string, text: string) => void;
}

export class HandlerFunctions {
  readonly #options: HandlerFunctionsOptions;
  readonly #byImage = new Map<string, ServedFunction>();

  /** @throws InitError for an invalid handler */
  constructor(options: HandlerFunctionsOptions) {
    this.#options = options;
    for (const [id, { handler, graceMs = LIMITS.handlerGraceMs }] of Object.entries(
      options.endpoints,
    )) {
      const loaded = readModule({ default: handler }, `endpoints.${id}`);
      this.#byImage.set(localImage({ id }), { handler: loaded, graceMs });
    }
  }

  has({ imageName }: Template): boolean {
    return this.#byImage.has(imageName);
  }

  /** Call it only for a template that `has` a function. */
  start(order: WorkerOrder, line: (line: string) => void): InProcessWorker {
    const { template, workerToken } = order;
    const served = this.#byImage.get(template.imageName);
    if (served === undefined) throw new Error(`there is no function for ${template.imageName}`);
    const { openSession, workerEnv, tempRoot } = this.#options;
    const env = { ...inheritedEnvironment(), ...workerEnv(order), ...template.env };
    const { [WORKER_ENV.volumePath]: volumePath } = env;
    const initLimitMs = declaredInitLimitMs(template) ?? LIMITS.workerInitMs;
    const isolate = { ...served, initLimitMs, volumePath, tempRoot, storageEnv: env };
    const source = new SessionSource({
      runtimeVersion: RUNTIME_VERSION,
      openSession: localSessions((toWorker) => openSession(workerToken, toWorker)),
    });
    const worker = startWorker({
      handler: template.imageName,
      openSource: () => source,
      openIsolate: (mask, events) => new InProcessIsolate(isolate, mask, events),
      log: this.#logTo(line),
    });
    return {
      ended: worker.ended.then((end) => EXIT_CODES[end]),
      drain: () => worker.drain(),
      stop: () => worker.stop(),
    };
  }

  /** Writes lines in the format of `sv-worker`. */
  #logTo(line: (line: string) => void): WorkerLog {
    return {
      write: (level, msg, fields = {}) => {
        const { jobId } = fields;
        if (typeof jobId === "string") this.#options.jobLine(jobId, msg);
        if (level !== "debug" || jobId !== undefined)
          line(JSON.stringify({ time: Date.now(), level, msg, ...fields }));
      },
    };
  }
}
