/** Keys of the service, over restarts. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { KeyRing } from "../../../../emulator/core/access/key-ring.ts";
import { keysNow, settleKeys } from "../../../../emulator/engine/access/service-keys.ts";
import { SharedStore } from "../ownership/shared-store.ts";
import { quietSteps } from "../steps/quiet-steps.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";

const NOW = "2026-01-01T00:00:00Z";
const random = createSystemRandom();
const startWork = { do: (work: () => Promise<void>) => work() };

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

it("the service creates a user's key once, which is the admin's too without a separate one", async () => {
  const steps = await quietSteps(createMemoryStore());
  const none = { user: undefined, admin: undefined };
  const first = await settleKeys({ steps, random, startWork }, none, NOW);
  const digest = digestOf(first.userKey ?? "");
  expect(first.records).toMatchObject([{ id: "user", scope: "all", digest }]);
  const second = await settleKeys({ steps, random, startWork }, none, NOW);
  expect(second.userKey).toBeUndefined();
  expect(second.records).toMatchObject([{ scope: "all", digest }]);
});

it("the user's key has no admin rights if there is a separate admin key", async () => {
  const steps = await quietSteps(createMemoryStore());
  const { records } = await settleKeys(
    { steps, random, startWork },
    { user: "u", admin: "a" },
    NOW,
  );
  expect(records).toMatchObject([
    { scope: "user", digest: digestOf("u") },
    { scope: "all", digest: digestOf("a") },
  ]);
  const later = await settleKeys(
    { steps, random, startWork },
    { user: undefined, admin: undefined },
    NOW,
  );
  expect(later.records).toMatchObject([{ scope: "all", digest: digestOf("u") }]);
});

it("created keys are kept beside a later given one with an equal text", async () => {
  const steps = await quietSteps(createMemoryStore());
  const settle = (user: string) =>
    settleKeys({ steps, random, startWork }, { user, admin: undefined }, NOW);
  await settle("u");
  const made = {
    id: "key_a",
    name: "a",
    scope: "read-only",
    digest: digestOf("made"),
    createdAt: NOW,
  } as const;
  await steps.commit((step) => step.putRecord("apiKey", made.id, made));
  const { records } = await settle("made");
  expect(records).toMatchObject([made, { id: "user", scope: "all" }]);
  const ring = new KeyRing(records, { now: () => 0 });
  expect([ring.find("made")?.id, ring.findById("key_a")?.scope]).toEqual(["user", "read-only"]);
});

it("a key that another process created at the same time is kept, and a key given to one process reaches the others", async () => {
  const shared = new SharedStore();
  const none = { user: undefined, admin: undefined };
  const open = async () => {
    const replica = shared.join();
    return quietSteps(replica.store, replica);
  };
  const [one, other] = [await open(), await open()];
  const [made, found] = await Promise.all(
    [one, other].map((steps) => settleKeys({ steps, random, startWork }, none, NOW)),
  );
  expect([made?.userKey, found?.userKey].filter(Boolean)).toHaveLength(1);
  expect(found?.records).toEqual(made?.records);
  await settleKeys({ steps: one, random, startWork }, { user: "u", admin: undefined }, NOW);
  await other.refreshRecords();
  const ring = new KeyRing(found?.records ?? [], { now: () => 0 });
  expect(ring.find("u")).toBeUndefined();
  ring.become(found ? keysNow(other, found) : []);
  expect(ring.find("u")).toMatchObject({ id: "user", scope: "all" });
});
