/** Jobs with a webhook on a test engine, ended as the test wants, and stores to run it on. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { submit } from "../../../emulator/engine/jobs/submit.ts";
import type { Delivery } from "../../../emulator/core/webhooks/delivery.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { TestEngine } from "../engine-harness.ts";
import type { ScriptedWorker } from "../scripted-worker.ts";

export const HOOK = "https://user.test/hook";

export interface HookedJob {
  readonly jobId: string;
  readonly endpointId: string;
}

/** An empty `webhook` means no webhook. */
export async function submitHooked(
  { engine }: TestEngine,
  { webhook = HOOK, input = "{}", ttlMs = LIMITS.ttlDefaultMs } = {},
): Promise<HookedJob> {
  const policy = { lowPriority: false, ttlMs };
  const submission = { input: Buffer.from(input), ...(webhook !== "" && { webhook }), policy };
  const { id } = await submit(engine, { endpointId: "echo", kind: "async", submission });
  return { jobId: id, endpointId: "echo" };
}

/** Submits a job and has the worker complete it with `output`. */
export async function completeHooked(
  test: TestEngine,
  worker: ScriptedWorker,
  options: Parameters<typeof submitHooked>[1] & { readonly output?: unknown } = {},
): Promise<HookedJob> {
  await worker.grant();
  const job = await submitHooked(test, options);
  await worker.complete(await worker.nextJob(), options.output ?? "done");
  await test.clock.settle();
  return job;
}

/** Deliveries, newest first. */
export function deliveriesOf({ engine }: TestEngine): Promise<readonly Delivery[]> {
  return engine.steps.read((reads) => reads.deliveries.list({}, 1_000));
}

export interface Stored extends AsyncDisposable {
  readonly store: Store;
  /** The stored data after the end of its engine; undefined for a store that does not survive it. */
  readonly reopen?: () => Promise<Store>;
}

/** An empty store of each kind. */
export const STORES: readonly (readonly [name: string, open: () => Promise<Stored>])[] = [
  ["memory", async () => ({ store: createMemoryStore(), async [Symbol.asyncDispose]() {} })],
  [
    "SQLite",
    async () => {
      const directory = await fs.mkdtemp(path.join(os.tmpdir(), "sv-webhooks-"));
      return {
        store: await openSqliteStore({ directory }),
        reopen: () => openSqliteStore({ directory }),
        [Symbol.asyncDispose]: () => fs.rm(directory, { recursive: true }),
      };
    },
  ],
];
