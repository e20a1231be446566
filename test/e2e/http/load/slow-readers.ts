/** A thread of clients that read answers at a bounded pace, so that the measuring thread stays free. */
import net from "node:net";
import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";

const asked = z
  .object({
    port: z.number(),
    /** Request heads, one for each reader. */
    heads: z.array(z.string()),
    bytesPerSecond: z.number(),
  })
  .parse(workerData);

const STEP_MS = 100;

export interface ReadAnswer {
  readonly status: string;
  readonly bodyBytes: number;
  readonly sha256: string;
  readonly seconds: number;
}

/** Reads to the end of the connection, which the server must close. */
function read(head: string): Promise<ReadAnswer> {
  const begun = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer>();
  const socket = net.connect(asked.port, "127.0.0.1");
  const sum = createHash("sha256");
  let status = "";
  let headText = "";
  let bodyBytes = 0;
  const take = (bytes: Buffer) => {
    if (status !== "") {
      bodyBytes += bytes.length;
      sum.update(bytes);
      return;
    }
    headText += bytes.toString("latin1");
    const end = headText.indexOf("\r\n\r\n");
    if (end < 0) return;
    status = headText.slice(0, headText.indexOf("\r\n"));
    const rest = Buffer.from(headText.slice(end + 4), "latin1");
    bodyBytes = rest.length;
    sum.update(rest);
  };
  const timer = setInterval(() => {
    let left = (asked.bytesPerSecond * STEP_MS) / 1_000;
    for (;;) {
      const ready = Math.min(left, socket.readableLength);
      const bytes = ready > 0 ? (socket.read(ready) as Buffer | null) : socket.read(0);
      if (!(bytes instanceof Buffer)) break;
      take(bytes);
      left -= bytes.length;
    }
  }, STEP_MS);
  socket.write(head);
  socket.on("readable", () => undefined);
  socket.on("error", reject);
  socket.on("end", () => {
    clearInterval(timer);
    const seconds = (performance.now() - begun) / 1_000;
    resolve({ status, bodyBytes, sha256: sum.digest("hex"), seconds });
  });
  return promise;
}

const answers = await Promise.allSettled(asked.heads.map(read));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window's
parentPort?.postMessage(answers);
