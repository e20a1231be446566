/** Records what runs, for the bills: one entry for each worker, pod or volume from its beginning to its end. */
import type { Clock, Disarm, Random } from "../../core/time/clock.ts";
import type { MachineUsage, Usage, VolumeUsage } from "../../core/billing/usage.ts";
import type { Steps } from "../steps.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** How often open entries are written, in real time: if the service is killed, at most that much is not billed. */
const SEEN_EVERY_MS = 60_000;
/** Older entries are deleted at the next start. */
const KEPT_MS = 400 * 86_400_000;

/** Entries that lasted longer are kept in memory; all others that concern a period began at most this long before it. */
const LONG_MS = 86_400_000;

type Beginning<U extends Usage> = Omit<U, "id" | "startedAt" | "endedAt" | "seenAt">;

interface UsageMeterOptions {
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
  /** Entries that have ended and lasted long, by id. */
  readonly #long = new Map<string, Usage>();
  #disarm: Disarm | undefined;
  /** Settles when all entries so far are written, in order: an end is never written before its beginning. */
  #written: Promise<void> = Promise.resolve();

  constructor(engine: UsageMeterOptions) {
    this.#engine = engine;
  }

  /** Call it once before use: ends the open entries of earlier runs, except those of volumes, which outlive the service. */
  async load(): Promise<void> {
    const { steps, clock } = this.#engine;
    const droppedBefore = clock.now() - KEPT_MS;
    const usages = await steps.read((reads) => reads.usage());
    await steps.commit((step) => {
      for (const usage of usages) {
        if (usage.endedAt === undefined && usage.kind === "volume") {
          this.#open.set(subjectOf(usage), usage);
        } else if (usage.endedAt === undefined) {
          const ended = { ...usage, endedAt: usage.seenAt };
          step.putRecord("usage", usage.id, ended);
          this.#remember(ended);
        } else if (usage.endedAt < droppedBefore) step.deleteRecord("usage", usage.id);
        else this.#remember(usage);
      }
    });
    if (this.#open.size > 0) this.#aim();
  }

  /** Begins an entry, until `ended` is called with its subject: the id of the worker, pod or volume. */
  began(beginning: Beginning<MachineUsage> | Beginning<VolumeUsage>): void {
    const now = this.#engine.clock.now();
    const id = this.#engine.random.uuid(now);
    const usage: Usage = { ...beginning, id, startedAt: now, endedAt: undefined, seenAt: now };
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

  /** All entries that were open at that moment (service time) or later, and perhaps older ones; oldest first. */
  async usages(since = 0): Promise<readonly Usage[]> {
    await this.#written;
    const firstId = lowestId(since - LONG_MS);
    const older = [...this.#open.values(), ...this.#long.values()]
      .filter(({ id }) => id < firstId)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const recent = await this.#engine.steps.read((reads) => reads.usage(firstId));
    return [...older, ...recent];
  }

  /** Resolves when everything is written; call it when nothing runs any more. Idempotent. */
  async stop(): Promise<void> {
    this.#disarm?.();
    this.#disarm = undefined;
    await this.#written;
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

  /** An entry that cannot be written is logged and left out: the service goes on. */
  #write(usages: readonly Usage[]): void {
    const { steps, log } = this.#engine;
    const write = async () => {
      try {
        await steps.commit((step) => {
          for (const usage of usages) step.putRecord("usage", usage.id, usage);
        });
      } catch (error) {
        log.warn(
          { err: error, entries: usages.length },
          "what runs could not be noted for the bill",
        );
      }
    };
    this.#written = this.#written.then(write);
  }
}

/** Ids begin with the moment of their making in ms: no entry that began at `at` or later has a lower one. */
function lowestId(at: number): string {
  const hex = Math.max(0, Math.trunc(at)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function subjectOf(usage: Usage): string {
  return usage.kind === "volume" ? usage.volumeId : usage.podId;
}
