/** Engines that share a store, with time and chance controlled by the test. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import type { EngineContext } from "../../../../emulator/engine/parts/engine-parts.ts";
import { submit, type SubmitRequest } from "../../../../emulator/engine/jobs/submit.ts";
import type { Launcher } from "../../../../emulator/launch/launcher.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { createTestEngine, type HarnessOptions, type TestEngine } from "../../engine-harness.ts";
import { SharedStore, type SharedReplica } from "./shared-store.ts";

export interface Member {
  readonly test: TestEngine;
  readonly engine: EngineContext;
  readonly replica: SharedReplica;
}

/** Number of ids that an engine may draw before they could be another's. */
const IDS_EACH = 1_000_000;

export class SharedService implements AsyncDisposable {
  readonly shared = new SharedStore();
  readonly clock = new FakeClock();
  readonly members: Member[] = [];

  /** An engine on the store, which has the endpoints `echo-1` to `echo-3`, with these partitions. */
  async open(
    partitions: readonly number[] = [],
    launcher?: Launcher,
    options: HarnessOptions = {},
  ): Promise<Member> {
    const replica = this.shared.join();
    replica.first = partitions;
    const drawn = replica.slot * IDS_EACH;
    const test = await createTestEngine(replica.store, launcher, {
      clock: this.clock,
      ownership: replica,
      drawn,
      ...options,
    });
    for (const partition of [1, 2, 3]) await test.addEndpoint(`echo-${partition}`);
    // Work here needs only turns of the event loop, and the test delays some of it.
    this.clock.isBusy = () => false;
    const member = { test, engine: test.engine, replica };
    this.members.push(member);
    await this.settle();
    return member;
  }

  settle(): Promise<void> {
    return this.clock.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { replica, test } of this.members) {
      replica.before = async () => undefined;
      replica.after = async () => undefined;
      const stopped = test.stop();
      await this.clock.advance(2_000);
      await stopped;
    }
    await this.shared.store.close();
  }
}

/** A gate of the test: its waiters continue when it is opened. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();
  /** Number of arrivals. */
  reached = 0;

  readonly pass = async (): Promise<void> => {
    this.reached += 1;
    await this.#opened.promise;
  };

  open(): void {
    this.#opened.resolve();
  }
}

export function requestOf(endpointId: string, wishes: Partial<SubmitRequest> = {}): SubmitRequest {
  const policy = { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs };
  return { endpointId, kind: "async", submission: { input: Buffer.from("{}"), policy }, ...wishes };
}

export function submitTo(
  { engine }: Member,
  endpointId: string,
  wishes?: Partial<SubmitRequest>,
): Promise<Job> {
  return submit(engine, requestOf(endpointId, wishes));
}

/** The record in the store. */
export async function stored({ shared }: SharedService, id: string): Promise<Job | undefined> {
  return shared.store.job(id);
}

/** The error of a refusal that a test expects later. */
export function refusalOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => "it was not refused",
    (error: unknown) => error,
  );
}

export const MOVED = { code: "endpoint_moved", status: 503 };
