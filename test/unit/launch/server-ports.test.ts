/** Ports of the servers of load balancing workers: each belongs to one worker, and is free again after its end. */
import { expect, it } from "vitest";
import { launchServer } from "../../../emulator/launch/processes/server-worker.ts";
import { TakenPorts } from "../../../emulator/launch/processes/taken-ports.ts";
import type { LaunchedWorker } from "../../../emulator/launch/launcher.ts";
import { orderOf, templateNamed } from "../../contract/launcher/subject.ts";
import { temporaryTree } from "../../temporary-tree.ts";

class CountedPorts extends TakenPorts {
  readonly counts = { taken: 0, out: 0 };

  override async take(): Promise<number> {
    const port = await super.take();
    this.counts.taken += 1;
    this.counts.out += 1;
    return port;
  }

  override release(ports: readonly number[]): void {
    super.release(ports);
    this.counts.out -= ports.length;
  }
}

const TWO_PORTS = { PORT: "8000", PORT_HEALTH: "8001" };

it.each<[string, Readonly<Record<string, string>>, (worker: LaunchedWorker) => void]>([
  ["has ended by itself", TWO_PORTS, () => undefined],
  ["was stopped before it was started", TWO_PORTS, (worker) => worker.kill()],
  ["could not be started", { ...TWO_PORTS, LONG: "x".repeat(3_000_000) }, () => undefined],
])("the ports of a server that %s are free again", async (_, env, act) => {
  await using tree = await temporaryTree({ "server.cjs": "" });
  const ports = new CountedPorts();
  const options = {
    serverProgram: tree.path("server.cjs"),
    handlerOf: () => undefined,
    line: () => undefined,
  };
  const order = orderOf({ ...templateNamed("served"), env }, { type: "LOAD_BALANCING" });
  const worker = launchServer(options, order, ports);
  act(worker);
  await worker.exited;
  expect(ports.counts).toEqual({ taken: 2, out: 0 });
});
