/** A receiver of webhooks that records each call, and refuses the first call of some deliveries. */
import { startReceiver } from "../../unit/webhooks/receiver.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { History } from "../crash/history.ts";
import { eventually } from "../jobs/observe.ts";

/** A refused delivery is tried again after 10 s; a fault delays it further. */
const LIMIT_MS = 60_000;

export interface JobReceiver extends AsyncDisposable {
  readonly url: string;
  /** Waits, without a limit, for the webhook of each job that has ended and asked for one. */
  hasHeardAll(): Promise<void>;
}

/** @param host an address that every emulator reaches */
export async function listenForJobs(history: History, host: string): Promise<JobReceiver> {
  const known = new Set<string>();
  const told = new Set<string>();
  const receiver = await startReceiver((response, { headers, text }) => {
    const deliveryId = String(headers["webhook-id"]);
    const { id: jobId, status } = JSON.parse(text) as { id: string; status: JobStatus };
    const taken = known.has(deliveryId) || !deliveryId.endsWith("7_0");
    known.add(deliveryId);
    if (taken) told.add(`${jobId} ${status}`);
    history.add({ type: "webhook", jobId, deliveryId, body: text, status, taken });
    response.writeHead(taken ? 200 : 500).end();
  }, host);
  return {
    url: receiver.url,
    async hasHeardAll() {
      const facts = history.facts();
      const wanted = facts.filter((fact) => fact.type === "submitted" && fact.webhook === true);
      const ends = new Map<string, string>();
      for (const fact of facts) if (fact.type === "seen") ends.set(fact.jobId, fact.status);
      const missing = () =>
        wanted.filter(
          (fact) => "jobId" in fact && !told.has(`${fact.jobId} ${ends.get(fact.jobId)}`),
        );
      // The checker reports what is missing then.
      await eventually(
        "all deliveries",
        () => (missing().length === 0 ? true : undefined),
        LIMIT_MS,
      ).catch(() => undefined);
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
