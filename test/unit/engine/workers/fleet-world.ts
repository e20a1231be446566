/** A small world around the engine's workers: they connect, send, fail and end in a random history, which is recorded. */
import type { MachineUsage } from "../../../../emulator/core/billing/usage.ts";
import type { WorkerState } from "../../../../emulator/core/workers/worker-life.ts";
import type { WorkerHandle } from "../../../../emulator/engine/workers/worker-handle.ts";
import type { ServiceEvent } from "../../../../emulator/engine/observe/event-feed.ts";
import type { WorkerReport } from "../../../../runtime/protocol/session.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";
import { FleetScene } from "./fleet-scene.ts";

/** An outside event. `pick` chooses among all workers ever started, including ended ones. */
export type Happening =
  | { readonly kind: "submit" }
  | { readonly kind: "connect"; readonly pick: number }
  | { readonly kind: "say"; readonly pick: number; readonly report: WorkerReport }
  | { readonly kind: "complete"; readonly pick: number }
  | { readonly kind: "exit"; readonly pick: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "set"; readonly workersMin: number; readonly workersMax: number }
  | { readonly kind: "release" };

/** Events about one worker, and its observed states. */
interface Seen {
  readonly states: WorkerState[];
  readyAt?: number;
  exitedAt?: number;
}

export class FleetWorld implements AsyncDisposable {
  readonly scene: FleetScene;
  /** Sentences about broken rules. */
  readonly offences: string[] = [];
  readonly seen = new Map<string, Seen>();
  readonly #connected = new Map<string, ScriptedWorker>();
  #version = 1;

  private constructor(scene: FleetScene) {
    this.scene = scene;
    scene.test.engine.events.follow((event) => this.#hear(event));
  }

  static async set(): Promise<FleetWorld> {
    const world = new FleetWorld(await FleetScene.set({ workersMax: 0 }));
    await world.scene.change({ workersMin: 1, workersMax: 2, idleTimeout: 10 });
    return world;
  }

  async happen(happening: Happening): Promise<void> {
    await this.#happen(happening);
    await this.scene.settle();
    await this.#compare();
  }

  /** Ends everything, and lets failed workers be dropped. */
  async end(): Promise<void> {
    await this.scene.change({ workersMin: 0, workersMax: 0 });
    for (const script of this.scene.launcher.launched) script.exit();
    await this.scene.test.clock.advance(200_000);
    await this.#compare();
  }

  /** The entries of the bill by the worker. */
  async bills(): Promise<Map<string, MachineUsage[]>> {
    const usages = await this.scene.test.engine.usage.usages();
    return Map.groupBy(
      usages.filter((usage): usage is MachineUsage => usage.kind === "worker"),
      ({ podId }) => podId,
    );
  }

  async #happen(happening: Happening): Promise<void> {
    const { engine, clock } = this.scene.test;
    const { launched } = this.scene.launcher;
    const { pick = 0 } = "pick" in happening ? happening : {};
    const script = launched[pick % Math.max(1, launched.length)];
    const worker = this.#connected.get(script?.order.workerId ?? "");
    switch (happening.kind) {
      case "submit":
        return void (await this.scene.submit());
      case "connect":
        if (script && engine.fleet.find(script.order.workerId))
          this.#connected.set(script.order.workerId, await script.connect(engine, 2));
        return;
      case "say":
        return worker?.report(happening.report);
      case "complete": {
        const jobs = worker?.orders.flatMap((orders) => orders.jobs ?? []) ?? [];
        const job = jobs.at(-1);
        return job && worker?.complete(job);
      }
      case "exit":
        return script?.exit({ exitCode: 1 });
      case "pass":
        return clock.advance(happening.ms);
      case "set":
        return this.scene.change({ ...happening });
      case "release":
        return this.scene.change({ version: (this.#version += 1) });
    }
  }

  #hear(event: ServiceEvent): void {
    if (event.type !== "worker") return;
    const { workerId, state } = event;
    const seen = this.seen.get(workerId) ?? this.#meet(workerId);
    seen.states.push(state);
    if (state === "ready") seen.readyAt ??= event.at;
  }

  #meet(workerId: string): Seen {
    const { fleet, clock } = this.scene.test.engine;
    const seen: Seen = { states: [] };
    this.seen.set(workerId, seen);
    const worker = fleet.find(workerId);
    if (worker) this.#watchHandOvers(worker);
    worker?.gone.addEventListener("abort", () => (seen.exitedAt = clock.now()));
    return seen;
  }

  #watchHandOvers(worker: WorkerHandle): void {
    const reserve = worker.reserve.bind(worker);
    worker.reserve = (leaseToken) => {
      const last = this.seen.get(worker.id)?.states.at(-1);
      if (last !== "ready") this.offences.push(`a worker that is ${last} was handed a job`);
      reserve(leaseToken);
    };
  }

  /** Events, fleet and `/health` agree. */
  async #compare(): Promise<void> {
    const told = [...this.seen].flatMap(([id, { states }]) => {
      const state = states.at(-1);
      return state === undefined || state === "ended" ? [] : [`${id} ${state}`];
    });
    const workers = this.scene.test.engine.fleet.workersOf("echo");
    const there = workers.map(({ id, state }) => `${id} ${state}`);
    if (told.toSorted().join() !== there.toSorted().join())
      this.offences.push(`events: ${told.join()}; there are: ${there.join()}`);
    const are = (...states: WorkerState[]) => workers.filter(({ state }) => states.includes(state));
    const { initializing, unhealthy, idle, running } = await this.scene.counts();
    const busy = are("ready", "draining").filter(({ heldCount }) => heldCount > 0);
    const counted = [initializing, unhealthy, running, idle];
    const free = are("ready").length - busy.filter(({ state }) => state === "ready").length;
    const known = [are("initializing").length, are("unhealthy", "lost").length, busy.length, free];
    if (counted.join() !== known.join())
      this.offences.push(`counted: ${counted.join()}; there are: ${known.join()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scene[Symbol.asyncDispose]();
  }
}
