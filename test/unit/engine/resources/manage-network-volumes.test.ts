/** A network volume when its record, or the place for its files, cannot be stored. */
import { expect, it } from "vitest";
import {
  createNetworkVolume,
  deleteNetworkVolume,
  listNetworkVolumes,
  updateNetworkVolume,
} from "../../../../emulator/engine/resources/manage-network-volumes.ts";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeThatFills } from "../filling-store.ts";

const order = { name: "models", size: 20, dataCenterId: "EU-RO-1" };

it("a volume is unchanged if a change of it cannot be stored", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  const { engine } = test;
  const volume = await createNetworkVolume(engine, order);
  fill(true);
  const refused = { code: "storage_full" };
  await expect(createNetworkVolume(engine, order)).rejects.toMatchObject(refused);
  const change = updateNetworkVolume(engine, volume.id, { size: 30 });
  await expect(change).rejects.toMatchObject(refused);
  await expect(deleteNetworkVolume(engine, volume.id)).rejects.toMatchObject(refused);
  expect(listNetworkVolumes(engine)).toEqual([volume]);
});

it("a volume without room for its files is not created, and the client learns that the disk is full", async () => {
  await using test = await createTestEngine();
  const full = () => Promise.reject(new StoreFullError("no room"));
  const engine = { ...test.engine, volumeFiles: { create: full, remove: full } };
  await expect(createNetworkVolume(engine, order)).rejects.toMatchObject({ code: "storage_full" });
  expect(listNetworkVolumes(engine)).toEqual([]);
  expect(engine.steps.records.all("networkVolume")).toEqual([]);
});

it("a volume that is deleted and changed at the same time stays deleted", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  const { id } = await createNetworkVolume(engine, order);
  await Promise.all([
    updateNetworkVolume(engine, id, { size: 30 }),
    deleteNetworkVolume(engine, id),
  ]);
  expect(listNetworkVolumes(engine)).toEqual([]);
  const usages = await engine.usage.usages();
  expect(usages.map(({ endedAt }) => endedAt)).not.toContain(undefined);
});

it("a deleted volume can be neither deleted again nor changed", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  const { id } = await createNetworkVolume(engine, order);
  const [first, ...late] = await Promise.allSettled([
    deleteNetworkVolume(engine, id),
    deleteNetworkVolume(engine, id),
    updateNetworkVolume(engine, id, { size: 30 }),
  ]);
  expect(first.status).toBe("fulfilled");
  const refused = { status: "rejected", reason: { code: "network_volume_not_found" } };
  expect(late).toMatchObject([refused, refused]);
  expect(listNetworkVolumes(engine)).toEqual([]);
});
