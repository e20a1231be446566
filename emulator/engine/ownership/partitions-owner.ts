/** The engine as an owner of partitions of a shared store: it takes over gained partitions, and drops lost ones. */
import { settleVolumeBills } from "../billing/settle-volume-bills.ts";
import type { Gain, LeaveWhen, Owner } from "../../store/ownership.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { RecordChange } from "../steps/state/record-book.ts";
import { gainEndpoints } from "./gain-endpoints.ts";
import { leaveEndpoints } from "./leave-endpoints.ts";
import type { Running } from "./running.ts";

type OwnerUses = StepPort & TimePort & WorkerPort & TellPort & CatalogPort & WakePort;

const GONE = "this replica no longer owns these partitions of the store";

export class PartitionsOwner implements Owner {
  readonly #engine: OwnerUses;
  readonly #running: Running;
  /** Called when a worker may have finished its jobs. */
  readonly #looks = new Set<() => void>();
  /** Number of running calls of `leave`. */
  #leaves = 0;
  /** Partitions that were left and are not logged yet. */
  readonly #left = new Set<number>();

  constructor(engine: OwnerUses, running: Running) {
    this.#engine = engine;
    this.#running = running;
  }

  gained(gain: Gain): void {
    const { log, pendingWork, tell } = this.#engine;
    const { partitions, unownedMs } = gain;
    tell({ type: "partitions", change: "gained", partitions, unownedMs });
    log.info(
      { partitions: [...partitions] },
      "this replica now owns these partitions of the store",
    );
    const settled = gainEndpoints(this.#engine, this.#running, gain).catch((error: unknown) =>
      log.error(
        { err: error },
        "jobs and workers of the gained partitions could not be taken over",
      ),
    );
    void pendingWork.track("what was gained", settled);
  }

  async leave(partitions: ReadonlySet<number>, when: LeaveWhen): Promise<void> {
    const { log, ownership, steps } = this.#engine;
    this.#leaves += 1;
    try {
      await leaveEndpoints(this.#engine, this.#running, { partitions, when, looks: this.#looks });
    } catch (error) {
      log.error({ err: error }, "partitions of the store could not be released in order");
    }
    this.#leaves -= 1;
    this.#forget(ownership.stillLeaving(partitions), "given_away");
    this.#tellLeft();
    await steps.stored();
  }

  /** Logs all released partitions in one line, because a stop releases them one by one. */
  #tellLeft(): void {
    if (this.#leaves > 0 || this.#left.size === 0) return;
    this.#engine.log.info({ partitions: [...this.#left] }, GONE);
    this.#left.clear();
  }

  lost(partitions: ReadonlySet<number>): void {
    this.#forget(this.#engine.ownership.heldSince(partitions, Infinity), "lost");
  }

  learned(changes: readonly RecordChange[]): void {
    for (const change of changes) this.#takeIn(change);
    const isOfVolume = changes.some(({ kind }) => kind === "networkVolume");
    if (isOfVolume && this.#engine.ownership.holdsService()) settleVolumeBills(this.#engine);
  }

  /** Reacts to a change by another process as to a change here. */
  #takeIn({ kind, id, before, after }: RecordChange): void {
    const { directory, endpointChanged, endpointDeleted, podChanged, tell } = this.#engine;
    switch (kind) {
      case "endpoint":
        endpointChanged(id);
        if (after === undefined) return endpointDeleted(id);
        return tell({
          type: "endpoint",
          endpointId: id,
          change: before === undefined ? "created" : "changed",
        });
      case "template":
        for (const endpoint of directory.endpoints())
          if (endpoint.templateId === id) endpointChanged(endpoint.id);
        return;
      case "pod":
        return podChanged(id);
      default:
    }
  }

  /** Call it when a worker may have finished its jobs. */
  look(): void {
    for (const look of this.#looks) look();
  }

  /** Ends all work of these partitions. Stores nothing: another process may already have decided on their jobs. */
  #forget(partitions: ReadonlySet<number>, how: "given_away" | "lost"): void {
    if (partitions.size === 0) return;
    const { balancer, directory, fleet, log, ownership, steps, tell, usage } = this.#engine;
    const { pods, webhooks, workers } = this.#running;
    tell({ type: "partitions", change: how, partitions });
    if (how === "lost") log.info({ partitions: [...partitions] }, GONE);
    else for (const partition of partitions) this.#left.add(partition);
    const isLost = ownership.isOf(partitions);
    const jobs = steps.jobsInMemory(({ endpointId }) => isLost(endpointId));
    steps.memory.forget(partitions);
    this.#engine.watchers.endpointsMoved(isLost);
    balancer.abandon(isLost);
    usage.forgetMoved();
    // Does not wait for their ends.
    void workers.abandon(isLost);
    void webhooks.abandon(isLost);
    for (const { id: jobId } of jobs) tell({ type: "job-gone", jobId });
    for (const { id } of directory.endpoints()) {
      if (!isLost(id)) continue;
      fleet.hold(id, false);
      tell({ type: "endpoint-gone", endpointId: id });
    }
    if (ownership.isServiceOf(partitions)) pods.killAll();
  }
}
