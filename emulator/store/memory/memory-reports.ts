/** Reports on jobs that failed and were deleted, in memory. They are sorted on demand, because there are few. */
import { Buffer } from "node:buffer";
import type { JobReport, KeptReports, ReportFilter } from "../../core/jobs/job-report.ts";
import type { Journal } from "../../core/undo-journal.ts";

export class MemoryReports {
  readonly #byId = new Map<string, JobReport>();
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  byId(jobId: string): JobReport | undefined {
    return this.#byId.get(jobId);
  }

  list({ endpointId, idPart = "" }: ReportFilter, limit: number): JobReport[] {
    return this.#newestFirst()
      .filter(({ job }) => endpointId === undefined || job.endpointId === endpointId)
      .filter(({ job: { id } }) => id.startsWith(idPart) || id.endsWith(idPart))
      .slice(0, limit);
  }

  oldestDeletedAt(): number | undefined {
    return this.#newestFirst().at(-1)?.deletedAt;
  }

  put(report: JobReport): void {
    this.#journal.set(this.#byId, report.job.id, report);
  }

  removeOf(endpointId: string): void {
    for (const { job } of this.#newestFirst())
      if (job.endpointId === endpointId) this.#journal.set(this.#byId, job.id, undefined);
  }

  prune({ deletedAfter, maxCount, maxBytes }: KeptReports): void {
    let bytes = 0;
    for (const [place, { job, deletedAt }] of this.#newestFirst().entries()) {
      const isYoung = deletedAt > deletedAfter;
      if (isYoung) bytes += Buffer.byteLength(JSON.stringify(job));
      if (!isYoung || place >= maxCount || bytes > maxBytes)
        this.#journal.set(this.#byId, job.id, undefined);
    }
  }

  #newestFirst(): JobReport[] {
    return [...this.#byId.values()].toSorted(
      (a, b) => b.deletedAt - a.deletedAt || b.job.seq - a.job.seq,
    );
  }
}
