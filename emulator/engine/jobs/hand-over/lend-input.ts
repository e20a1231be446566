/** Reads a large input into memory that is bounded for all of them, and frees it when it is sent. */
import { freeMemory, largeMemory } from "../../../core/jobs/free-memory.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { ReadablePayload } from "../../../store/payload.ts";
import type { LimitPort } from "../../limits/bytes-in-flight.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerPort } from "../../workers/worker-port.ts";
import { wholePayload } from "../read/show-payload.ts";

/** Maximum size of an input for which no memory has to be reserved, because it lies in the database. */
export const SMALL_INPUT_BYTES = 256_000;

const NEVER = new AbortController().signal;

/**
 * Waits for room for the input and for the message that contains it. Inputs without room are sent one after another.
 * @param send resolves when the bytes are not needed any more; undefined if they are not sent
 * @throws ServiceError too_much_in_flight; errors of the store
 */
export async function lendInput(
  {
    lease,
    realClock,
    sending,
  }: Pick<LimitPort & TimePort & WorkerPort, "lease" | "realClock" | "sending">,
  input: ReadablePayload,
  send: (bytes: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  const room = await sending.take(2 * input.sizeBytes, NEVER, LIMITS.requestMs);
  const giveBack = () => {
    disarm();
    room?.[Symbol.dispose]();
  };
  // A worker on a slow line keeps others waiting for the length of a lease at most.
  const disarm = realClock.wakeAt(realClock.now() + lease.leaseMs, giveBack);
  try {
    const opened = await input.open();
    const bytes = opened && (await wholePayload(opened, largeMemory));
    const sent = bytes && send(bytes);
    if (!sent) return giveBack();
    void sent.then(() => {
      giveBack();
      // The message has a copy of the input.
      freeMemory(bytes);
    });
  } catch (error) {
    giveBack();
    throw error;
  }
}
