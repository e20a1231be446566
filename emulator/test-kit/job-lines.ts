/** The last lines of each job's log, for as long as the job is kept. */
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { EventFeed } from "../engine/observe/event-feed.ts";

export class JobLines {
  readonly #byJob = new Map<string, string[]>();
  #events: EventFeed | undefined;
  /** Ends the following of events; set while lines are kept. */
  #unfollow: (() => void) | undefined;

  keep(jobId: string, line: string): void {
    const lines = this.#byJob.get(jobId) ?? [];
    lines.push(line);
    if (lines.length > LIMITS.lastLogLines) lines.shift();
    this.#byJob.set(jobId, lines);
    this.#unfollow ??= this.#events?.follow((event) => {
      if (event.type === "job" && event.to === null) this.#forget(event.jobId);
    });
  }

  of(jobId: string): readonly string[] {
    return [...(this.#byJob.get(jobId) ?? [])];
  }

  /** Forgets the lines of each deleted job, until the returned function is called. */
  follow(events: EventFeed): () => void {
    this.#events = events;
    return () => {
      this.#unfollow?.();
      this.#events = undefined;
    };
  }

  #forget(jobId: string): void {
    this.#byJob.delete(jobId);
    if (this.#byJob.size > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }
}
