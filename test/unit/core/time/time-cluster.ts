/** Replicas that sample one database with clocks that a test moves, and their service times. */
import type { Clock } from "../../../../emulator/core/time/clock.ts";
import { SampledTime, type TimeSample } from "../../../../emulator/core/time/sampled-time.ts";
import { FakeClock } from "../../../fake-clock.ts";

/** A database with the row that all replicas share. */
export class TimeCluster {
  /** Real time, equal for all. */
  readonly real = new FakeClock(1_000_000_000);
  readonly replicas: TimedReplica[] = [];
  /** The clock of the database minus real time. */
  databaseAheadMs = 0;
  offsetMs = 0;
  highest = 0;
  /** Number of undone leaps. */
  leaps = 0;

  /** @param monotonicAt start of its monotonic clock */
  join(monotonicAt = 0): TimedReplica {
    const replica = new TimedReplica(this, monotonicAt - this.real.now());
    this.replicas.push(replica);
    return replica;
  }

  /** Runs for these seconds; each second every replica that is not frozen takes a sample. */
  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      await this.real.advance(1_000);
      for (const replica of this.replicas) if (!replica.isStill) replica.renew();
    }
  }
}

export class TimedReplica implements Clock {
  readonly time: SampledTime;
  readonly #cluster: TimeCluster;
  /** Its monotonic clock minus real time. */
  aheadMs: number;
  isStill = false;
  isAway = false;

  constructor(cluster: TimeCluster, aheadMs: number) {
    this.#cluster = cluster;
    this.aheadMs = aheadMs;
    this.time = new SampledTime(this);
  }

  /** Its monotonic clock. */
  now(): number {
    return this.#cluster.real.now() + this.aheadMs;
  }

  wakeAt(at: number, wake: () => void) {
    return this.#cluster.real.wakeAt(at - this.aheadMs, () => this.isStill || wake());
  }

  /** Takes a sample, and another after a leap, like the keeper of a claim. */
  renew(more: Partial<TimeSample> = {}): void {
    if (this.isAway) return;
    for (let samples = 0; samples < 2; samples += 1) if (!this.#sample(more)) return;
  }

  /** Lead of its service time over real time, ms. */
  get errorMs(): number {
    return this.time.now() - this.#cluster.real.now();
  }

  #sample(more: Partial<TimeSample>): boolean {
    const cluster = this.#cluster;
    if (this.time.isKnown) cluster.highest = Math.max(cluster.highest, this.time.now());
    const { offsetMs, highest } = cluster;
    const others = cluster.replicas.filter((each) => each !== this && !each.isStill);
    const leap = this.time.take({
      ...{ askedAt: this.now() - 10, answeredAt: this.now(), offsetMs, highest },
      databaseAt: cluster.real.now() - 5 + cluster.databaseAheadMs,
      isKnownElsewhere: others.some(({ time }) => time.isKnown),
      ...more,
    });
    if (leap === undefined) return false;
    cluster.offsetMs = leap.offsetMs;
    cluster.leaps += 1;
    return true;
  }
}
