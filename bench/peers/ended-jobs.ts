/** Reports ended jobs with their results from a peer's worker to its client, as lines of JSON over a unix socket. */
import { once } from "node:events";
import net from "node:net";
import readline from "node:readline";
import { z } from "zod";
import { type KeyedJob, keyedJobShape } from "./postgres-queue.ts";

const lineShape = z.array(keyedJobShape);

/** The client's side. */
export class EndedJobs {
  readonly #waiting = new Map<string, (job: KeyedJob) => void>();

  async listen(socket: string): Promise<void> {
    const server = net.createServer((connection) => {
      readline.createInterface({ input: connection }).on("line", (line) => {
        for (const job of lineShape.parse(JSON.parse(line))) {
          this.#waiting.get(job.key)?.(job);
          this.#waiting.delete(job.key);
        }
      });
    });
    await once(server.listen(socket), "listening");
  }

  /** Resolves when the job with this key has ended. */
  of(key: string): Promise<KeyedJob> {
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }
}

/** The worker's side. */
export async function endedJobsTo(socket: string): Promise<(jobs: readonly KeyedJob[]) => void> {
  const connection = net.connect(socket);
  await once(connection, "connect");
  return (jobs) => void connection.write(`${JSON.stringify(jobs)}\n`);
}
