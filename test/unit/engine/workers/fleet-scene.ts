/** An engine with an endpoint `echo` and a scripted launcher, with steps for tests of the fleet. */
import type { Endpoint } from "../../../../emulator/core/resources/endpoints/endpoint.ts";
import type { GpuInventory } from "../../../../emulator/core/workers/gpu-allocation.ts";
import type { WorkerCounts } from "../../../../emulator/engine/workers/fleet.ts";
import { health } from "../../../../emulator/engine/resources/endpoints/health.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { ScriptedLauncher } from "../scripted-launcher.ts";
import { storeEndpoint } from "../../stored-records.ts";

export class FleetScene implements AsyncDisposable {
  readonly test: TestEngine;
  readonly launcher: ScriptedLauncher;

  private constructor(test: TestEngine, launcher: ScriptedLauncher) {
    this.test = test;
    this.launcher = launcher;
  }

  /** @param gpus the GPUs found by each search */
  static async set(
    settings: Partial<Endpoint> = {},
    gpus?: GpuInventory | (() => GpuInventory),
  ): Promise<FleetScene> {
    const launcher = new ScriptedLauncher();
    const find = typeof gpus === "object" ? () => gpus : gpus;
    const options = find === undefined ? {} : { findGpus: async () => find() };
    const test = await createTestEngine(createMemoryStore(), launcher, options);
    const scene = new FleetScene(test, launcher);
    await scene.change(settings);
    return scene;
  }

  /** Changes the settings of an endpoint like a client; creates it if needed. */
  async change(settings: Partial<Endpoint>, id = "echo"): Promise<void> {
    const { engine, clock } = this.test;
    const known = engine.directory.findEndpoint(id) ?? (await this.test.addEndpoint(id));
    await storeEndpoint(engine, { ...known, ...settings });
    engine.endpointChanged(id);
    await clock.settle();
  }

  /** The variables of an endpoint's template. */
  async keepEnv(env: Readonly<Record<string, string>>, id = "echo"): Promise<void> {
    const { directory, steps } = this.test.engine;
    const template = { ...directory.template(id), env };
    await steps.commit((step) => step.putRecord("template", id, template));
  }

  async submit(endpointId = "echo", lowPriority = false): Promise<string> {
    const { id } = await this.test.submit({ endpointId, lowPriority });
    await this.test.clock.settle();
    return id;
  }

  async statusOf(jobId: string): Promise<string | undefined> {
    return this.test.job(jobId).then((job) => job?.status);
  }

  async counts(endpointId = "echo"): Promise<WorkerCounts> {
    return (await health(this.test.engine, endpointId)).workers;
  }

  /** Waits until the effects have settled. */
  async settle(): Promise<void> {
    await this.test.clock.settle();
  }

  /** Connects the worker launched at `position`. */
  async connect(position: number, credit = 1) {
    const worker = await this.launcher.at(position).connect(this.test.engine, credit);
    await this.settle();
    return worker;
  }

  /** Ends the worker launched at `position`. */
  async exit(position: number, how?: Parameters<ReturnType<ScriptedLauncher["at"]>["exit"]>[0]) {
    this.launcher.at(position).exit(how);
    await this.settle();
  }

  /** Messages that were logged at `level`. */
  logged(level: "info" | "warn" | "error"): readonly string[] {
    return this.test.logged.filter((entry) => entry.level === level).map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.test.stop();
  }
}
