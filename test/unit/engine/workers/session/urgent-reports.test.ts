/** Renewals in a report with large payloads, which do not wait until these are stored. */
import { Buffer } from "node:buffer";
import { expect, it, vi } from "vitest";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { storeWith } from "../../store-with.ts";

it("a refused renewal ends the report, not the process, while the payloads beside it are being stored", async () => {
  const store = createMemoryStore();
  const staged = Promise.withResolvers<void>();
  await using test = await createTestEngine(
    storeWith(store, {
      stage: async (parts) => {
        await staged.promise;
        return store.stage(parts);
      },
    }),
  );
  const { session } = await test.connectWorker();
  const lease = { jobId: "a", leaseToken: "token" };
  const output = Buffer.from(JSON.stringify("x".repeat(300_000)));
  vi.spyOn(test.engine.steps, "commit").mockRejectedValueOnce(new Error("the endpoint moved"));
  const unhandled = vi.fn<(reason: unknown) => void>();
  process.on("unhandledRejection", unhandled);
  const report = session.receive({
    renewals: [lease],
    outcomes: [{ ...lease, outcome: { kind: "completed", output } }],
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  staged.resolve();
  await expect(report).rejects.toThrow("the endpoint moved");
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
