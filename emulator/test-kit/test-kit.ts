/** Access of tests to a service beyond its interfaces: queues, jobs, webhook calls, and a wait for the end of all work. */
import type { Client } from "../../runtime/client/client.ts";
import { isTerminal } from "../../runtime/protocol/job-status.ts";
import type { DeliveryFilter } from "../core/webhooks/delivery.ts";
import { readContents } from "../engine/jobs/read/job-contents.ts";
import {
  type EndpointHandle,
  endpointHandle,
  idle,
  type TestKitParts,
  type WaitLimit,
} from "./endpoint-handle.ts";
import { clockOf, type EmulatorClock } from "./emulator-clock.ts";
import { holding } from "./holding.ts";
import { type JobRecord, recordOf } from "./job-record.ts";
import { deliveriesIn, type WebhookDelivery } from "./webhook-inbox.ts";

export interface TestKit {
  readonly clock: EmulatorClock;
  /** @throws RangeError for an unknown endpoint */
  endpoint(id: string): EndpointHandle;
  /**
   * Resolves when no job runs, none waits except in queues on hold, and all started work is done, due webhook calls included.
   * It does not wait for later moments of service time: use `clock.advance`.
   * @throws NotIdleError
   */
  idle(limit?: WaitLimit): Promise<void>;
  readonly webhooks: {
    /** Past and pending webhook calls, oldest first: all, or the matching ones. */
    deliveries(filter?: DeliveryFilter): Promise<readonly WebhookDelivery[]>;
  };
}

export interface RunningTestKit {
  readonly kit: TestKit;
  /** Reports all jobs that have ended so far, and no later ones. */
  close(): Promise<void>;
}

export interface TestKitOptions extends Omit<TestKitParts, "client"> {
  /** The user's key; undefined if it is unknown. */
  readonly apiKey: string | undefined;
}

/** @param jobEnded called with each job as it ends */
export function openTestKit(
  { apiKey, ...rest }: TestKitOptions,
  { jobEnded }: { readonly jobEnded?: (job: JobRecord) => void },
): RunningTestKit {
  const { engine, url, lines } = rest;
  let client: Promise<Client> | undefined;
  const parts = { ...rest, client: () => (client ??= openClient(url, apiKey)) };
  const forget = lines.follow(engine.events);
  const unfollow = jobEnded === undefined ? undefined : followEnds(parts, jobEnded);
  return {
    kit: {
      clock: clockOf(engine),
      endpoint: (id) => endpointHandle(parts, id),
      idle: (limit) => holding(idle(engine, limit)),
      webhooks: { deliveries: (filter = {}) => deliveriesIn(engine, filter) },
    },
    async close() {
      await unfollow?.();
      forget();
      await client?.then(
        (opened) => opened.close(),
        () => undefined,
      );
    },
  };
}

/** Calls `ended` with each job as it ends, until the returned function is called, which waits for calls in progress. */
function followEnds(
  { engine, lines }: TestKitParts,
  ended: (job: JobRecord) => void,
): () => Promise<void> {
  let told: Promise<void> = Promise.resolve();
  const tell = async (endpointId: string, jobId: string) =>
    ended(recordOf(await readContents(engine, { endpointId, jobId }), lines.of(jobId)));
  const unfollow = engine.events.follow((event) => {
    if (event.type !== "job" || event.to === null || !isTerminal(event.to)) return;
    const { endpointId, jobId } = event;
    // The job may have been deleted already.
    told = told.then(() => tell(endpointId, jobId)).catch(() => undefined);
  });
  return async () => {
    unfollow();
    await told;
  };
}

/** A client of this service, loaded at its first use. Rejects if the key is unknown. */
async function openClient(baseUrl: string, apiKey: string | undefined): Promise<Client> {
  if (apiKey === undefined)
    throw new Error(
      "the data directory has only a digest of its API key: give apiKey to startEmulator",
    );
  const { createClient } = await import("../../runtime/client/client.ts");
  return createClient({ baseUrl, apiKey });
}
