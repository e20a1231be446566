/** Records what runs, for the bills: an entry begins and ends with a worker, pod or volume, also when the service is killed. */
import type { Clock, Disarm, Random } from "../../core/time/clock.ts";
import type { MachineUsage, Usage, VolumeUsage } from "../../core/billing/usage.ts";
import type { Store } from "../../store/store.ts";
import type { EngineLog } from "../observe/engine-log.ts";

/** What goes on is written down this often, in real time: a killed service bills that much too little at most. */
const SEEN_EVERY_MS = 60_000;
/** Older entries are dropped at the next start. */
const KEPT_MS = 400 * 86_400_000;

/** What lasted longer is remembered, so that a bill need not look for its beginning. */
const LONG_MS = 86_400_000;

type Beginning<U extends Usage> = Omit<U, "id" | "startedAt" | "endedAt" | "seenAt">;

interface UsageMeterOptions {
  readonly store: Pick<Store, "read" | "transact">;
  readonly random: Random;
  readonly log: EngineLog;
  /** Service time, in which everything is billed. */
  readonly clock: Clock;
  readonly realClock: Clock;
}

export class UsageMeter {
  readonly #engine: UsageMeterOptions;
  /** Entries that go on, by what they are about. */
  readonly #open = new Map<string, Usage>();
  /** Entries that have ended and lasted long, by id. */
  readonly #long = new Map<string, Usage>();
  #disarm: Disarm | undefined;
  /** Settles when everything so far is written; in order, so that an end never comes before its beginning. */
  #written: Promise<void> = Promise.resolve();

  constructor(engine: UsageMeterOptions) {
    this.#engine = engine;
  }

  /** To be called once before use: ends what an earlier run of the service left, except volumes, which outlive it. */
  async load(): Promise<void> {
    const { store, clock } = this.#engine;
    const droppedBefore = clock.now() - KEPT_MS;
    await store.transact(async (tx) => {
      for (const usage of await tx.records("usage")) {
        if (usage.endedAt === undefined && usage.kind === "volume") {
          this.#open.set(subjectOf(usage), usage);
        } else if (usage.endedAt === undefined) {
          const ended = { ...usage, endedAt: usage.seenAt };
          await tx.putRecord("usage", usage.id, ended);
          this.#remember(ended);
        } else if (usage.endedAt < droppedBefore) await tx.deleteRecord("usage", usage.id);
        else this.#remember(usage);
      }
    });
    if (this.#open.size > 0) this.#aim();
  }

  /** The entry goes on from now until `ended` is called with the same subject: a worker's, pod's or volume's id. */
  began(beginning: Beginning<MachineUsage> | Beginning<VolumeUsage>): void {
    const now = this.#engine.clock.now();
    const id = this.#engine.random.uuid(now);
    const usage: Usage = { ...beginning, id, startedAt: now, endedAt: undefined, seenAt: now };
    this.#open.set(subjectOf(usage), usage);
    this.#write([usage]);
    if (!this.#disarm) this.#aim();
  }

  /** Does nothing for a subject that was not billed. */
  ended(subject: string): void {
    const usage = this.#open.get(subject);
    if (!usage) return;
    this.#open.delete(subject);
    const now = this.#engine.clock.now();
    const entry = { ...usage, endedAt: now, seenAt: now };
    this.#remember(entry);
    this.#write([entry]);
  }

  /** What ran since that moment (service time), and perhaps more; oldest first. */
  async usages(since = 0): Promise<readonly Usage[]> {
    await this.#written;
    const firstId = lowestId(since - LONG_MS);
    const older = [...this.#open.values(), ...this.#long.values()]
      .filter(({ id }) => id < firstId)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const recent = await this.#engine.store.read((view) => view.records("usage", firstId));
    return [...older, ...recent];
  }

  /** Resolves when everything is written; to be called when nothing runs any more. Idempotent. */
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

  /** A bill is no reason to stop: what cannot be written is told and left out. */
  #write(usages: readonly Usage[]): void {
    const { store, log } = this.#engine;
    const write = async () => {
      try {
        await store.transact(async (tx) => {
          for (const usage of usages) await tx.putRecord("usage", usage.id, usage);
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
