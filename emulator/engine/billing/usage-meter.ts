/** Records usage for bills: one entry per worker, pod or volume, from its beginning to its end. */
import type { Clock, Disarm, Random } from "../../core/time/clock.ts";
import type { MachineUsage, Usage, VolumeUsage } from "../../core/billing/usage.ts";
import type { OwnedPartitions } from "../steps/state/owned-partitions.ts";
import type { Step } from "../steps/step.ts";
import type { Steps } from "../steps/steps.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** Interval at which open entries are written, in real time: a killed service loses at most this much of a bill. */
const SEEN_EVERY_MS = 60_000;
/** Age at which entries are deleted at the next start. */
const KEPT_MS = 400 * 86_400_000;

/** Length from which ended entries are kept in memory. All other entries of a period began at most this long before it. */
const LONG_MS = 86_400_000;

/** Maximum number of stored entries that are read at a time. */
const PAGE = 1_000;

type Beginning<U extends Usage> = Omit<U, "id" | "startedAt" | "endedAt" | "seenAt">;

interface UsageMeterOptions {
  readonly ownership: Pick<OwnedPartitions, "holds" | "holdsService" | "isShared">;
  readonly steps: Pick<Steps, "commit" | "read">;
  readonly random: Random;
  readonly log: EngineLog;
  /** Service time, in which everything is billed. */
  readonly clock: Clock;
  readonly realClock: Clock;
}

export class UsageMeter {
  readonly #engine: UsageMeterOptions;
  /** Open entries by subject. */
  readonly #open = new Map<string, Usage>();
  /** Long entries that have ended, by id. */
  readonly #long = new Map<string, Usage>();
  #disarm: Disarm | undefined;
  /** Settles when all entries so far are written. They are written in order, so that no entry's end precedes its beginning. */
  #written: Promise<void> = Promise.resolve();

  constructor(engine: UsageMeterOptions) {
    this.#engine = engine;
  }

  /**
   * Ends the open entries of earlier runs or owners, except those of volumes, which outlive them. Call it before new entries
   * begin.
   * @param isMeant whether to end entries of this endpoint (undefined: the service); default: all
   */
  async load(isMeant: (endpointId: string | undefined) => boolean = () => true): Promise<void> {
    const { steps, clock } = this.#engine;
    const droppedBefore = clock.now() - KEPT_MS;
    for await (const page of this.#pages()) {
      const meant = page.filter((usage) => isMeant(endpointOf(usage)));
      await steps.commit((step) => {
        for (const usage of meant) this.#takeUp(step, usage, droppedBefore);
      });
    }
    if (this.#open.size > 0) this.#aim();
  }

  billedVolumes(): readonly string[] {
    return [...this.#open.values()].flatMap((usage) =>
      usage.kind === "volume" ? usage.volumeId : [],
    );
  }

  /** The size of a volume with an open entry, GB. */
  billedSize(volumeId: string): number | undefined {
    return this.#open.get(volumeId)?.diskInGb;
  }

  /** Drops entries that another process continues. */
  forgetMoved(): void {
    for (const [subject, usage] of this.#open) if (!this.#isHeld(usage)) this.#open.delete(subject);
  }

  /**
   * Begins an entry, until `ended` is called with its subject: the id of the worker, pod or volume. Does nothing if another
   * process has its bill.
   */
  began(beginning: Beginning<MachineUsage> | Beginning<VolumeUsage>): void {
    const now = this.#engine.clock.now();
    const id = this.#engine.random.uuid(now);
    const usage: Usage = { ...beginning, id, startedAt: now, endedAt: undefined, seenAt: now };
    if (!this.#isHeld(usage)) return;
    this.#open.set(subjectOf(usage), usage);
    this.#write([usage]);
    if (!this.#disarm) this.#aim();
  }

  /** Does nothing for a subject without an open entry. */
  ended(subject: string): void {
    const usage = this.#open.get(subject);
    if (!usage) return;
    this.#open.delete(subject);
    const now = this.#engine.clock.now();
    const entry = { ...usage, endedAt: now, seenAt: now };
    this.#remember(entry);
    this.#write([entry]);
  }

  /** All entries that were open at this moment (service time) or later; oldest first. */
  async usages(since = 0): Promise<readonly Usage[]> {
    await this.#written;
    // Long entries of other processes are only in the store.
    const firstId = this.#engine.ownership.isShared ? "" : lowestId(since - LONG_MS);
    const isMeant = ({ endedAt = Infinity }: Usage) => endedAt >= since;
    const found = [...this.#open.values(), ...this.#long.values()]
      .filter((usage) => usage.id < firstId && isMeant(usage))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for await (const page of this.#pages(firstId)) found.push(...page.filter(isMeant));
    return found;
  }

  written(): Promise<void> {
    return this.#written;
  }

  /** Resolves when everything is written; call it after all work has ended. Idempotent. */
  async stop(): Promise<void> {
    this.#disarm?.();
    this.#disarm = undefined;
    await this.#written;
  }

  /** Stored entries in order of id, page by page: there may be years of them. */
  async *#pages(from = ""): AsyncGenerator<readonly Usage[], void, undefined> {
    for (let next: string | undefined = from; next !== undefined;) {
      const first: string = next;
      const page = await this.#engine.steps.read((reads) => reads.usage(first, PAGE + 1));
      yield page.slice(0, PAGE);
      next = page[PAGE]?.id;
    }
  }

  /** Ends an entry of an earlier run, or continues the entry of a volume. Deletes an old entry. */
  #takeUp(step: Step, usage: Usage, droppedBefore: number): void {
    const { id, kind, endedAt, seenAt } = usage;
    const subject = subjectOf(usage);
    if (!this.#isHeld(usage) || this.#open.get(subject)?.id === id) return;
    if (endedAt === undefined && kind === "volume" && !this.#open.has(subject)) {
      this.#open.set(subject, usage);
    } else if (endedAt === undefined) {
      const ended = { ...usage, endedAt: seenAt };
      step.putRecord("usage", id, ended);
      this.#remember(ended);
    } else if (endedAt < droppedBefore) step.deleteRecord("usage", id);
    else this.#remember(usage);
  }

  #isHeld(usage: Usage): boolean {
    const { ownership } = this.#engine;
    const endpointId = endpointOf(usage);
    return endpointId === undefined ? ownership.holdsService() : ownership.holds(endpointId);
  }

  #remember(ended: Usage): void {
    if (ended.seenAt - ended.startedAt > LONG_MS) this.#long.set(ended.id, ended);
  }

  #aim(): void {
    const { clock, realClock } = this.#engine;
    this.#disarm = realClock.wakeAt(realClock.now() + SEEN_EVERY_MS, () => {
      this.#disarm = undefined;
      if (this.#open.size === 0) return;
      const seenAt = clock.now();
      const seen = [...this.#open].map(([subject, usage]) => {
        const entry: Usage = { ...usage, seenAt };
        this.#open.set(subject, entry);
        return entry;
      });
      this.#write(seen);
      this.#aim();
    });
  }

  /** An entry that cannot be written is logged and skipped: the service goes on. */
  #write(usages: readonly Usage[]): void {
    const { steps, log } = this.#engine;
    const write = async () => {
      try {
        await steps.commit((step) => {
          for (const usage of usages)
            if (this.#isHeld(usage)) step.putRecord("usage", usage.id, usage);
        });
      } catch (error) {
        log.warn(
          { err: error, entries: usages.length },
          "usage could not be recorded for the bill",
        );
      }
    };
    this.#written = this.#written.then(write);
  }
}

/** Ids begin with their creation time in ms: no entry that began at `at` or later has a lower one. */
function lowestId(at: number): string {
  const hex = Math.max(0, Math.trunc(at)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function endpointOf(usage: Usage): string | undefined {
  return usage.kind === "worker" ? usage.endpointId : undefined;
}

function subjectOf(usage: Usage): string {
  return usage.kind === "volume" ? usage.volumeId : usage.podId;
}
