/** A service in a process of its own that reports when its worker got a job. */
import { z } from "zod";
import { Program } from "./asking.ts";
import { handlerFile } from "./emulator-process.ts";

const startShape = z.object({
  /** For a container: time from the order for the worker until the container was created, and until its process was started. */
  createdMs: z.number().optional(),
  startedMs: z.number().optional(),
  /** Time from the spawn, or the order for a container, until the worker opened its session. */
  connectedMs: z.number(),
  /** Time from the spawn of `sv-worker` to its first message with the lease of the waiting job. */
  takenMs: z.number(),
  /** Time from the spawn until the job's result is durable. */
  resultMs: z.number(),
});

export type WorkerStart = z.infer<typeof startShape>;

export interface ServiceStart {
  /** A new directory. */
  readonly folder: string;
  /** Name of a handler in `bench/handlers/`. */
  readonly handler: string;
  /** Whether one worker stays from the start, or each job gets a new worker that ends with the job. */
  readonly workers: "one" | "for each job";
  /** The engine and the image with that handler, for workers that are containers; default: workers are processes. */
  readonly container?: { readonly image: string; readonly dockerHost: string };
}

export class ServiceProgram implements AsyncDisposable {
  readonly #program = new Program("service");

  static async start({ handler, ...more }: ServiceStart): Promise<ServiceProgram> {
    const service = new ServiceProgram();
    const question = { kind: "open", handler: handlerFile(handler), ...more };
    await service.#program.ask(z.null(), question);
    return service;
  }

  /**
   * Submits a job that needs a new worker.
   * @param compileCache default: Node's own
   */
  async startWorker(compileCache?: string): Promise<WorkerStart> {
    return this.#program.ask(startShape, { kind: "start", compileCache });
  }

  /** Starts a bare Node from the same process. Returns the time until its exit. */
  async startNode(): Promise<number> {
    return this.#program.ask(z.number(), { kind: "node" });
  }

  /** Time from the commit of a submission to the call of the handler `tells-when`. */
  async pickupMs(): Promise<number> {
    return this.#program.ask(z.number(), { kind: "pickup" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }
}
