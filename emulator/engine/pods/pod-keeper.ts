/** Starts, ends and restarts pods as their records demand. */
import { iso } from "../../core/time/iso.ts";
import { perHour } from "../../core/billing/prices.ts";
import type { Disarm } from "../../core/time/clock.ts";
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import { endPod, isSameRun } from "../../core/pods/pod-life.ts";
import type { Pod } from "../../core/pods/pod.ts";
import type { WorkerExit } from "../../launch/launcher.ts";
import type { LaunchedPod, PodLauncher } from "../../launch/pod-launcher.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { PodPort } from "./pod-run.ts";
import type { GpuPool } from "../workers/gpus/gpu-pool.ts";
import { describeExit } from "../workers/describe-exit.ts";

/** Time after which a pod that was told to stop is killed, ms. */
const STOP_GRACE_MS = 10_000;

const RUN_ID_LENGTH = 14;

interface Run {
  readonly id: string;
  /** The record when the run began. */
  readonly pod: Pod;
  readonly launched: LaunchedPod;
  readonly gpus: readonly GpuDevice[];
  /** Settles when its end was handled. */
  ended: Promise<void>;
  isLeaving: boolean;
  disarm?: Disarm;
}

type PodKeeperUses = StepPort & TimePort & TellPort & CatalogPort & PodPort;

export class PodKeeper {
  readonly #engine: PodKeeperUses;
  readonly #launcher: PodLauncher | undefined;
  readonly #gpus: GpuPool;
  readonly #runs = new Map<string, Run>();
  /** Reasons why pods are not run, each logged once. */
  readonly #logged = new Set<string>();
  /** Decisions are made one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isOpen = false;

  /** @param launcher undefined if pods are only records and do not run */
  constructor(engine: PodKeeperUses, launcher: PodLauncher | undefined, gpus: GpuPool) {
    this.#engine = engine;
    this.#launcher = launcher;
    this.#gpus = gpus;
  }

  /** Begins to run pods, starting with those of earlier runs of the service. */
  start(): void {
    this.#isOpen = true;
    this.considerAll();
  }

  /** Call it when the launcher can start pods that it could not before. */
  considerAll(): void {
    this.#logged.clear();
    this.#then("pods", async (launcher) => {
      const pods = this.#engine.steps.records.inOrder("pod");
      if (pods.length === 0) return;
      const known = new Set(pods.map(({ id }) => id));
      if (pods.some((pod) => launcher.refusesPod(pod) === undefined))
        await launcher.dropVolumes((podId) => !known.has(podId));
      for (const { id } of pods) this.consider(id);
    });
  }

  /** Call it with a pod that was created, changed or deleted, or that can get GPUs now. */
  consider(podId: string): void {
    this.#then(`pod ${podId}`, (launcher) => this.#decide(launcher, podId));
  }

  /** Ends all pods; they run again after the next `start`, here or elsewhere. */
  async stop(how: "drain" | "kill"): Promise<void> {
    this.#isOpen = false;
    this.#leaveQueue();
    await this.#work;
    for (const run of this.#runs.values()) this.#end(run, how);
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  /** Kills all pods; also during a `stop` that drains. */
  killAll(): void {
    this.#isOpen = false;
    this.#leaveQueue();
    for (const run of this.#runs.values()) this.#end(run, "kill");
  }

  /** No pod waits for GPUs any more. */
  #leaveQueue(): void {
    for (const { id } of this.#engine.steps.records.all("pod")) this.#gpus.leave(id);
  }

  #then(what: string, step: (launcher: PodLauncher) => Promise<void>): void {
    const { pendingWork, log } = this.#engine;
    const launcher = this.#launcher;
    if (launcher === undefined || !this.#isOpen) return;
    this.#work = this.#work
      .then(() => (this.#isOpen ? step(launcher) : undefined))
      .catch((error: unknown) =>
        log.error({ err: error }, `the state of ${what} could not be updated`),
      );
    void pendingWork.track(what, this.#work);
  }

  async #decide(launcher: PodLauncher, podId: string): Promise<void> {
    const pod = this.#engine.steps.records.find("pod", podId);
    const run = this.#runs.get(podId);
    const isWanted = pod?.desiredStatus === "RUNNING";
    if (run !== undefined) {
      if (!isWanted || !isSameRun(pod, run.pod)) this.#end(run, pod ? "drain" : "kill");
    } else if (isWanted) this.#start(launcher, pod);
    else {
      this.#gpus.leave(podId);
      if (!pod) await launcher.dropVolumes((owner) => owner === podId);
    }
  }

  #start(launcher: PodLauncher, pod: Pod): void {
    const refusal = launcher.refusesPod(pod);
    if (refusal !== undefined) return this.#logOnce({}, `pods are stored, but not run: ${refusal}`);
    const { random, log, podRuns, realClock } = this.#engine;
    const id = random.shortId(RUN_ID_LENGTH);
    const grant = this.#gpus.take(pod, id, true);
    if ("lack" in grant) {
      if (grant.lack !== undefined)
        this.#logOnce({ podId: pod.id }, `the pod "${pod.name}" (${pod.id}) waits: ${grant.lack}`);
      return;
    }
    const gpus = grant.devices;
    const launched = launcher.launchPod({ pod, runId: id, gpus });
    const run: Run = { id, pod, launched, gpus, isLeaving: false, ended: Promise.resolve() };
    this.#runs.set(pod.id, run);
    podRuns.set(pod.id, { stage: "starting", gpus });
    log.info({ podId: pod.id, runId: id }, "pod started");
    void launched.running.then((ports) => {
      const stage = run.isLeaving ? "starting" : "running";
      podRuns.set(pod.id, { stage, gpus, ports, runsSince: realClock.now() });
      this.#bill(run);
    });
    run.ended = launched.exited
      .then((exit) => this.#ended(launcher, run, exit))
      .catch((error: unknown) =>
        log.error({ podId: pod.id, err: error }, "the end of a pod could not be recorded"),
      );
  }

  #end(run: Run, how: "drain" | "kill"): void {
    if (how === "kill") run.launched.kill();
    else if (!run.isLeaving) {
      const { realClock } = this.#engine;
      run.launched.drain();
      run.disarm = realClock.wakeAt(realClock.now() + STOP_GRACE_MS, () => run.launched.kill());
    }
    run.isLeaving = true;
    const { podRuns } = this.#engine;
    const known = podRuns.get(run.pod.id);
    if (known) podRuns.set(run.pod.id, { ...known, stage: "starting" });
  }

  async #ended(launcher: PodLauncher, run: Run, exit: WorkerExit): Promise<void> {
    const { podRuns, usage, log } = this.#engine;
    const { id: podId } = run.pod;
    run.disarm?.();
    podRuns.delete(podId);
    usage.ended(podId);
    this.#runs.delete(podId);
    this.#gpus.release(run.id, exit.startError !== undefined);
    if (run.isLeaving) log.info({ podId, runId: run.id }, "pod has ended");
    // A pod that ended with the Docker engine runs again when the engine is back.
    else if (!exit.engineWentAway && launcher.refusesPod(run.pod) === undefined)
      await this.#recordEnd(run, exit);
    this.consider(podId);
  }

  /** Its program has exited by itself, or could not be started. */
  async #recordEnd(run: Run, exit: WorkerExit): Promise<void> {
    const engine = this.#engine;
    const { id: podId } = run.pod;
    const how = describeExit(exit);
    const { lastLogLines: _, ...fields } = exit;
    engine.log.warn({ podId, runId: run.id, ...fields }, `the pod ${how}`);
    await engine.steps.commit((step) => {
      const pod = step.record("pod", podId);
      if (!pod || pod.desiredStatus !== "RUNNING" || !isSameRun(pod, run.pod)) return;
      const now = iso(engine.clock.now());
      const hasFailed = exit.startError !== undefined;
      step.putRecord("pod", podId, endPod(pod, { how, hasFailed }, now));
    });
  }

  /** Begins to bill the pod, when its program runs. */
  #bill({ pod, gpus }: Run): void {
    const { usage, prices } = this.#engine;
    const { id: podId, templateId, imageName, dataCenterIds, containerDiskInGb } = pod;
    const wanted = pod.computeType === "GPU" ? pod.gpuTypeIds[0] : undefined;
    const gpuTypeId = gpus[0]?.typeId ?? wanted;
    const dataCenterId = dataCenterIds?.[0];
    usage.began({
      kind: "pod",
      ...{ podId, templateId, imageName, gpuTypeId, dataCenterId },
      perHour: perHour(prices, { ...pod, gpuTypeId }),
      diskInGb: containerDiskInGb ?? 0,
    });
  }

  #logOnce(fields: Readonly<Record<string, string>>, message: string): void {
    if (!this.#logged.has(message)) this.#engine.log.warn(fields, message);
    this.#logged.add(message);
  }
}
