/** Launcher of simulated workers: sessions of a program that simulates many. */
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";
import type {
  LaunchedWorker,
  Launcher,
  WorkerExit,
  WorkerOrder,
} from "../emulator/launch/launcher.ts";
import { localLauncher } from "../emulator/launch/local-launcher.ts";

/** A line of JSON. Each answer is a line with the id of a worker that has ended. */
export const orderShape = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("start"),
    workerId: z.string(),
    token: z.string(),
    address: z.string(),
  }),
  z.object({ kind: z.literal("end"), workerId: z.string() }),
]);
export type SimulatedOrder = z.infer<typeof orderShape>;

const EXIT: WorkerExit = {
  exitCode: 0,
  signal: undefined,
  outOfMemory: false,
  startError: undefined,
  lastLogLines: [],
};

/** @param socket path of the socket of `simulated-workers` @param address of the worker port */
export function simulatedLauncher(socket: string, address: string): Launcher {
  const orders = connect(socket);
  const exits = new Map<string, (exit: WorkerExit) => void>();
  createInterface(orders).on("line", (workerId) => {
    exits.get(workerId)?.(EXIT);
    exits.delete(workerId);
  });
  const send = (order: SimulatedOrder) => orders.write(`${JSON.stringify(order)}\n`);
  return localLauncher({
    what: "simulated worker",
    has: () => true,
    launch({ workerId, workerToken: token }: WorkerOrder): LaunchedWorker {
      const { promise, resolve } = Promise.withResolvers<WorkerExit>();
      exits.set(workerId, resolve);
      send({ kind: "start", workerId, token, address });
      const end = () => void send({ kind: "end", workerId });
      return { kind: "process", exited: promise, drain: end, kill: end };
    },
  });
}
