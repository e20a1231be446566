/** Deliveries that wait for an earlier one of their job: makes sure that each gets its turn, whatever fails meanwhile. */
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { isMoved } from "../steps/state/endpoint-moved.ts";
import { releaseDelivery } from "./change-deliveries.ts";

/** Number of deliveries read at a time at the start. */
const PAGE = 500;

export class HeldUpDeliveries {
  readonly #engine: StepPort & TimePort & WakePort;
  /** Jobs with an oldest pending delivery that may be held up. */
  readonly #jobIds = new Set<string>();
  #areRead = false;

  constructor(engine: StepPort & TimePort & WakePort) {
    this.#engine = engine;
  }

  add(jobId: string): void {
    this.#jobIds.add(jobId);
  }

  /** Waiting deliveries of newly owned endpoints have to be searched. */
  readAgain(): void {
    this.#areRead = false;
  }

  /** Makes deliveries due that no longer wait for another one. Call it again after an error. */
  async release(): Promise<void> {
    if (!this.#areRead) await this.#read();
    for (const jobId of this.#jobIds) {
      await releaseDelivery(this.#engine, jobId).catch((error: unknown) => {
        if (!isMoved(error)) throw error;
      });
      this.#jobIds.delete(jobId);
    }
  }

  /** Deliveries of an earlier run or owner, which may have ended before it made them due. */
  async #read(): Promise<void> {
    this.#areRead = true;
    try {
      await this.#readAll();
    } catch (error) {
      this.#areRead = false;
      throw error;
    }
  }

  async #readAll(): Promise<void> {
    const { ownership } = this.#engine;
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
      const after: number = before;
      const page = await this.#engine.steps.read(({ deliveries }) =>
        deliveries.list({ state: "pending" }, PAGE, after),
      );
      for (const { endpointId, jobId, nextTryAt } of page)
        if (nextTryAt === undefined && ownership.holds(endpointId)) this.add(jobId);
      before = page.length < PAGE ? undefined : page.at(-1)?.seq;
    }
  }
}
