/**
 * Many workers in one process. Each has the runtime's side of a session over its own connection, and a handler that returns its
 * input at once. Replicas order workers over a socket. The workers of a replica end with it.
 */
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import { ServiceJobSource } from "../../runtime/source/service-job-source.ts";
import { answerQuestions } from "../asking.ts";
import { orderShape, type SimulatedOrder } from "../simulated-launcher.ts";

const CONCURRENCY = 50;

const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("listen"), socket: z.string() }),
  z.object({ kind: z.literal("connected") }),
]);

/** Number of workers with an answered session. */
let connected = 0;

class SimulatedWorker {
  readonly #source: ServiceJobSource;
  readonly #ended: () => void;
  #isConnected = false;
  #isOver = false;

  constructor({ address, token }: Extract<SimulatedOrder, { kind: "start" }>, ended: () => void) {
    this.#source = new ServiceJobSource({ address, token, runtimeVersion: "bench" });
    this.#ended = ended;
    void this.#connect().catch(() => this.end());
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isConnected) connected -= 1;
    void this.#source.close().then(this.#ended);
  }

  async #connect(): Promise<void> {
    const source = this.#source;
    source.ready(CONCURRENCY);
    source.grant(CONCURRENCY);
    await source.connect({
      job: (job) => void this.#run(job),
      revoked: () => source.grant(1),
      chunksStored: () => undefined,
      drain: () => this.end(),
      reload: () => undefined,
      refused: () => this.end(),
    });
    if (this.#isOver) return;
    this.#isConnected = true;
    connected += 1;
  }

  async #run(job: HandedJob): Promise<void> {
    this.#source.grant(1);
    await this.#source.finish(job, { kind: "completed", output: job.input });
  }
}

/** Carries out the orders of one replica. */
function serve(socket: Socket): void {
  const workers = new Map<string, SimulatedWorker>();
  socket.on("error", () => undefined);
  createInterface(socket).on("line", (line) => {
    const order = orderShape.parse(JSON.parse(line));
    if (order.kind === "end") return workers.get(order.workerId)?.end();
    const ended = () => {
      workers.delete(order.workerId);
      socket.write(`${order.workerId}\n`);
    };
    workers.set(order.workerId, new SimulatedWorker(order, ended));
  });
  socket.on("close", () => {
    for (const worker of workers.values()) worker.end();
  });
}

answerQuestions((message) => {
  const question = questionShape.parse(message);
  if (question.kind === "connected") return connected;
  const server = createServer(serve);
  return new Promise((resolve) => server.listen(question.socket, () => resolve(null)));
});
