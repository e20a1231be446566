/** A job source under test, with the calls of its listener and the jobs it received. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import type { HandedJob, LeaseRef, Revocation } from "../../../runtime/protocol/outcome.ts";
import type { Reload, Welcome } from "../../../runtime/protocol/session.ts";
import type { JobSource } from "../../../runtime/source/job-source.ts";
import type { ScriptedService, ScriptedSession } from "./scripted-service.ts";

export const welcome: Welcome = {
  workerId: "w-1",
  endpointId: "hello",
  leaseMs: 15_000,
  leaseRenewalMs: 5_000,
};

export const bytes = (text: string): Buffer => Buffer.from(text);

/** A batch of one chunk. */
export function chunk(firstIndex: number, text: string): ChunkBatch {
  return { firstIndex, count: 1, lines: bytes(`${text}\n`) };
}

export function job(n: number): HandedJob {
  const id = { jobId: `job-${n}`, leaseToken: `token-${n}` };
  return { ...id, attempt: 1, input: bytes(`{"n":${n}}`), executionTimeoutMs: 600_000 };
}

export function lease({ jobId, leaseToken }: LeaseRef): LeaseRef {
  return { jobId, leaseToken };
}

/** A listener that records its calls, and a source after its welcome. */
export class Connected {
  readonly source: JobSource;
  readonly jobs: HandedJob[] = [];
  readonly revocations: Revocation[] = [];
  readonly stored: { readonly jobId: string; readonly nextIndex: number }[] = [];
  readonly refusals: string[] = [];
  readonly reloads: Reload[] = [];
  drains = 0;
  readonly welcomed: Promise<Welcome>;
  #heard: (() => void)[] = [];

  constructor(source: JobSource) {
    this.source = source;
    const hear = (): void => {
      for (const heard of this.#heard) heard();
    };
    this.welcomed = source.connect({
      job: (handed) => {
        this.jobs.push(handed);
        hear();
      },
      revoked: (revocation) => {
        this.revocations.push(revocation);
        hear();
      },
      chunksStored: ({ jobId }, nextIndex) => {
        this.stored.push({ jobId, nextIndex });
        hear();
      },
      reload: (reload) => {
        this.reloads.push(reload);
        hear();
      },
      drain: () => {
        this.drains++;
        hear();
      },
      refused: (reason) => {
        this.refusals.push(reason);
        hear();
      },
    });
    this.welcomed.catch(() => {});
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (condition()) resolve();
      };
      this.#heard.push(look);
      look();
    });
  }
}

/** Opens a session and hands over jobs in it. */
export async function connect(
  service: ScriptedService,
  jobs: readonly HandedJob[] = [],
  terms: Partial<Welcome> = {},
): Promise<{ worker: Connected; source: JobSource; session: ScriptedSession }> {
  const worker = new Connected(service.newSource());
  const session = await service.nextSession();
  session.send({ welcome: { ...welcome, ...terms } });
  await worker.welcomed;
  if (jobs.length > 0) {
    worker.source.ready(jobs.length);
    worker.source.grant(jobs.length);
    await session.until(() => session.credit === jobs.length);
    session.send({ jobs });
    await worker.until(() => worker.jobs.length === jobs.length);
  }
  return { worker, source: worker.source, session };
}
