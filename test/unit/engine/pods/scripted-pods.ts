/** A launcher with pods that a test scripts: it records which were started, asked to end and killed. */
import type { WorkerExit } from "../../../../emulator/launch/launcher.ts";
import type { PodLauncher, PodOrder, PodPorts } from "../../../../emulator/launch/pod-launcher.ts";
import { exit } from "../scripted-launcher.ts";

export class PodScript {
  readonly order: PodOrder;
  readonly #running = Promise.withResolvers<PodPorts>();
  readonly #exited = Promise.withResolvers<WorkerExit>();
  wasDrained = false;
  wasKilled = false;

  constructor(order: PodOrder) {
    this.order = order;
  }

  get running(): Promise<PodPorts> {
    return this.#running.promise;
  }

  get exited(): Promise<WorkerExit> {
    return this.#exited.promise;
  }

  runs(ports: PodPorts = {}): void {
    this.#running.resolve(ports);
  }

  exit(how: Partial<WorkerExit> = { exitCode: 0 }): void {
    this.#exited.resolve({ ...exit, ...how });
  }

  drain(): void {
    this.wasDrained = true;
  }

  kill(): void {
    this.wasKilled = true;
    this.exit({ signal: "SIGKILL" });
  }
}

export class ScriptedPods implements PodLauncher {
  readonly launched: PodScript[] = [];
  /** Pods that have run, and that have lost their volumes. */
  readonly dropped: string[] = [];
  refusal: string | undefined;

  refusesPod(): string | undefined {
    return this.refusal;
  }

  launchPod(order: PodOrder): PodScript {
    const script = new PodScript(order);
    this.launched.push(script);
    return script;
  }

  async dropVolumes(isNeedless: (podId: string) => boolean): Promise<void> {
    const ids = new Set(this.launched.map(({ order }) => order.pod.id));
    this.dropped.push(...[...ids].filter(isNeedless));
  }

  /** The run launched at `position`, from 0. */
  at(position: number): PodScript {
    const script = this.launched[position];
    if (script === undefined) throw new Error(`only ${this.launched.length} pods were started`);
    return script;
  }
}
