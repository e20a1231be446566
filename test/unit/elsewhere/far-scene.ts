/**
 * An emulator with a port for workers from elsewhere, an endpoint without workers of its own, and workers that a test scripts.
 */
import { randomUUID } from "node:crypto";
import { startEmulator } from "../../../emulator/index.ts";
import type { Emulator, EmulatorOptions } from "../../../emulator/options.ts";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import { ServiceJobSource } from "../../../runtime/source/service-job-source.ts";
import { KEY } from "../http/http-harness.ts";

export const ENDPOINT = "far";

export interface Token {
  readonly id: string;
  readonly key: string;
  readonly workerAddresses?: readonly string[];
}

/** Use with `await using`. */
export class FarScene implements AsyncDisposable {
  /** Messages of the emulator's log. */
  readonly said: string[] = [];
  readonly #options: EmulatorOptions;
  readonly #workers: FarWorker[] = [];
  #emulator: Emulator | undefined;

  private constructor(options: EmulatorOptions) {
    this.#options = options;
  }

  static async start(options: EmulatorOptions = {}): Promise<FarScene> {
    const scene = new FarScene(options);
    await scene.restart(0);
    return scene;
  }

  get emulator(): Emulator {
    if (this.#emulator === undefined) throw new Error("it was not started");
    return this.#emulator;
  }

  get address(): string {
    return this.emulator.workerAddress ?? "";
  }

  /** Starts at the same port for workers, unless another is given. */
  async restart(workerPort = Number(this.address.split(":").at(-1))): Promise<void> {
    const say = (_: object, sentence: string) => void this.said.push(sentence);
    this.#emulator = await startEmulator({
      ...{ port: 0, workerPort, s3: false, apiKey: KEY, docker: "off" },
      log: { info: say, warn: say, error: say },
      endpoints: {
        [ENDPOINT]: { handler: () => "here", settings: { workersMin: 0, workersMax: 0 } },
        other: { handler: () => "here", settings: { workersMin: 0, workersMax: 0 } },
      },
      ...this.#options,
    });
  }

  async call<Body>(method: string, path: string, body?: object, key = KEY): Promise<Body> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${this.emulator.url}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  }

  token(more: object = {}): Promise<Token> {
    const input = { name: randomUUID(), scope: "workers", endpointIds: [ENDPOINT], ...more };
    return this.call("POST", "/emulator/keys", input);
  }

  async submit(input: object = {}): Promise<string> {
    const { id } = await this.call<{ id: string }>("POST", `/v2/${ENDPOINT}/run`, { input });
    return id;
  }

  status(id: string): Promise<{ status: string; output?: unknown; workerId?: string }> {
    return this.call("GET", `/v2/${ENDPOINT}/status/${id}`);
  }

  async workers(): Promise<Readonly<Record<string, number>>> {
    const health = await this.call<{ workers: Record<string, number> }>(
      "GET",
      `/v2/${ENDPOINT}/health`,
    );
    return health.workers;
  }

  /** A worker that takes `credit` jobs, and retries like ours. */
  worker(token: string, address = this.address, credit = 1): FarWorker {
    const worker = new FarWorker(address, token, credit);
    this.#workers.push(worker);
    return worker;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.source.close()));
    await this.#emulator?.stop("kill");
  }
}

export class FarWorker {
  readonly source: ServiceJobSource;
  /** Why it was refused; resolves only then. */
  readonly refused: Promise<string>;
  /** The worker is told to leave. */
  readonly drained: Promise<void>;
  readonly revoked: string[] = [];
  readonly #jobs: HandedJob[] = [];
  #next = Promise.withResolvers<void>();

  constructor(address: string, token: string, credit: number) {
    const reconnect = { firstMs: 10, maxMs: 50 };
    this.source = new ServiceJobSource({ address, token, runtimeVersion: "test", reconnect });
    const refused = Promise.withResolvers<string>();
    const drained = Promise.withResolvers<void>();
    [this.refused, this.drained] = [refused.promise, drained.promise];
    void this.source
      .connect({
        job: (job) => {
          this.#jobs.push(job);
          this.#next.resolve();
        },
        revoked: ({ jobId, reason }) => this.revoked.push(`${jobId} ${reason}`),
        chunksStored: () => undefined,
        drain: () => drained.resolve(),
        reload: () => undefined,
        refused: refused.resolve,
      })
      .catch(() => undefined);
    this.source.ready(credit);
    this.source.grant(credit);
  }

  async job(): Promise<HandedJob> {
    for (;;) {
      const job = this.#jobs.shift();
      if (job !== undefined) return job;
      this.#next = Promise.withResolvers();
      await this.#next.promise;
    }
  }

  finish(job: HandedJob, output: unknown = "done") {
    return this.source.finish(job, {
      kind: "completed",
      output: Buffer.from(JSON.stringify(output)),
    });
  }
}
