/** A handler of this folder in a process of its own, run on one job after another without a service. */
import path from "node:path";
import { Isolate } from "../runtime/isolate/isolate.ts";
import { SecretMask } from "../runtime/isolate/secret-mask.ts";
import { prepareHandler } from "../runtime/load/prepare-handler.ts";
import type { Failure } from "../runtime/protocol/failure.ts";
import { LIMITS } from "../runtime/protocol/limits.ts";
import type { Outcome } from "../runtime/protocol/outcome.ts";
import { handlerFile } from "./emulator-process.ts";

const entryPath = path.resolve(import.meta.dirname, "../dist/runtime/handler/handler-process.cjs");

export class IsolatedHandler implements AsyncDisposable {
  readonly #isolate: Isolate;
  readonly #ready = Promise.withResolvers<void>();
  #outcome = Promise.withResolvers<Outcome>();
  #jobs = 0;

  private constructor() {
    const { initLimitMs, handlerGraceMs: graceMs } = { initLimitMs: 10_000, ...LIMITS };
    const standby = { standby: "none", standbyDelayMs: 0 } as const;
    const abortUpload = async (): Promise<void> => {};
    const unusable = ({ message }: Failure): void => this.#ready.reject(new Error(message));
    this.#isolate = new Isolate(
      { entryPath, graceMs, initLimitMs, ...standby, mask: new SecretMask({}), abortUpload },
      {
        ready: () => this.#ready.resolve(),
        unusable,
        restartFailed: unusable,
        described: () => undefined,
        standbyReady: () => undefined,
        standbyFailed: unusable,
        paused: () => undefined,
        outcome: (_, outcome) => this.#outcome.resolve(outcome),
        chunks: () => undefined,
        progress: () => undefined,
        line: () => undefined,
        placesChanged: () => undefined,
      },
    );
  }

  /** @param name of a handler in `bench/handlers/` */
  static async start(name: string): Promise<IsolatedHandler> {
    const handler = new IsolatedHandler();
    handler.#isolate.keeper.start();
    handler.#isolate.load(await prepareHandler(handlerFile(name)));
    await handler.#ready.promise;
    return handler;
  }

  /** @throws Error when the job does not complete */
  async run(input: Uint8Array): Promise<void> {
    this.#outcome = Promise.withResolvers();
    this.#jobs += 1;
    const jobId = `job-${this.#jobs}`;
    const executionTimeoutMs = LIMITS.executionTimeoutDefaultMs;
    this.#isolate.run({ jobId, leaseToken: jobId, attempt: 1, input, executionTimeoutMs });
    const { kind } = await this.#outcome.promise;
    if (kind !== "completed") throw new Error(`The job is ${kind}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#isolate.stop();
  }
}
