/**
 * Watches the age of the oldest snapshot. A forgotten transaction prevents the server from removing deleted rows, which makes
 * every queue slower.
 */
import type { Clock } from "../../../core/time/clock.ts";
import type { Session } from "../connect/session.ts";
import type { Times } from "../options.ts";

const WARN_EVERY_MS = 60_000;

/** Snapshots of other users are visible only with the rights of pg_read_all_stats. */
const OLDEST = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - since) * 1000), 0)::bigint, coalesce((array_agg(who))[1], '')
  FROM (
    SELECT since, who FROM (
      SELECT xact_start AS since, 'process ' || pid || coalesce(' (' || nullif(application_name, '') || ')', '') AS who
        FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND xact_start IS NOT NULL AND backend_type = 'client backend'
      UNION ALL SELECT prepared, 'the prepared transaction ' || gid FROM pg_prepared_xacts) AS held
    ORDER BY since LIMIT 1) AS oldest`;

export interface SnapshotWatchParts {
  readonly clock: Clock;
  readonly times: Times;
  readonly warn: (sentence: string) => void;
  readonly onAge: (ageMs: number) => void;
}

export class SnapshotWatch {
  readonly #parts: SnapshotWatchParts;
  #nextAt = 0;
  #warnAgainAt = 0;

  constructor(parts: SnapshotWatchParts) {
    this.#parts = parts;
  }

  /** Does nothing if the last look was a short while ago. */
  async look(session: Session): Promise<void> {
    const { clock, times, onAge, warn } = this.#parts;
    const now = clock.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + times.lookAtSnapshotsEvery;
    const { rows } = await session.ask({ name: "oldest-snapshot", text: OLDEST });
    const [ageMs = 0, who = ""] = rows[0] ?? [];
    onAge(Number(ageMs));
    if (Number(ageMs) < times.oldSnapshot || now < this.#warnAgainAt) return;
    this.#warnAgainAt = now + WARN_EVERY_MS;
    warn(
      `${String(who)} holds a snapshot of the database that is ${Math.round(Number(ageMs) / 1_000)} s old: until it ends, the database cannot remove deleted rows, and the store gets slower`,
    );
  }
}
