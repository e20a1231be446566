/** The key of a store, which several services may share: recorded, checked at each start, and changed. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import {
  createSystemClock,
  createSystemRandom,
} from "../../../../emulator/assembly/system-clock.ts";
import {
  readSecretKey,
  unseal,
} from "../../../../emulator/core/resources/secrets/sealed-secret.ts";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import {
  checkSecretKey,
  encryptAnew,
} from "../../../../emulator/engine/resources/check-secret-key.ts";
import { createRegistryAuth } from "../../../../emulator/engine/resources/manage-registry-auths.ts";
import { Readiness } from "../../../../emulator/engine/steps/readiness.ts";
import { openSteps } from "../../../../emulator/engine/steps/steps.ts";
import { startEmulator } from "../../../../emulator/emulator.ts";
import { fixedSecretKey } from "../../../../emulator/secrets/secret-key.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);
const THREE = Buffer.alloc(32, 3);
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const random = createSystemRandom();
const startWork = { do: (work: () => Promise<void>) => work() };

/** The store for the next process. */
const opened = async (store: Store) =>
  openSteps(store, { log: SILENT, clock: createSystemClock() });

const check = async (store: Store, key: Uint8Array) =>
  checkSecretKey({ steps: await opened(store), random, startWork }, key);

const rotate = async (store: Store, from: Uint8Array, to: Uint8Array) =>
  encryptAnew({ steps: await opened(store), random }, { from, to });

async function withAuth(store: Store, key: Uint8Array): Promise<void> {
  const steps = await opened(store);
  const { ownership } = steps;
  const kept = { store, steps, ownership, readiness: new Readiness() };
  const engine = { ...kept, random, secretKey: fixedSecretKey(key) };
  await createRegistryAuth(engine, { name: "example", username: "ada", password: "hush" });
}

async function passwordIn(store: Store, key: Uint8Array): Promise<string | undefined> {
  const [auth] = (await store.boot()).records.registryAuth.values();
  return auth && unseal(auth.sealed, { key, recordId: auth.id });
}

it("the key of the first start is valid for the next one, and another is refused", async () => {
  const store = createMemoryStore();
  await check(store, ONE);
  await check(store, ONE);
  await expect(check(store, TWO)).rejects.toThrow(StoreUnusableError);
  await expect(check(store, TWO)).rejects.toThrow("SV_SECRET_KEY is not the key");
});

it("moved secrets identify their key if no other record does", async () => {
  const store = createMemoryStore();
  await withAuth(store, ONE);
  await expect(check(store, TWO)).rejects.toThrow(StoreUnusableError);
  await check(store, ONE);
  await expect(check(store, TWO)).rejects.toThrow(StoreUnusableError);
});

it("a new key decrypts the secrets, and the old one does not", async () => {
  const store = createMemoryStore();
  await check(store, ONE);
  await withAuth(store, ONE);
  expect(await rotate(store, ONE, TWO)).toBe(1);
  expect(await passwordIn(store, TWO)).toContain("hush");
  expect(await passwordIn(store, ONE)).toBeUndefined();
  await check(store, TWO);
  await expect(check(store, ONE)).rejects.toThrow(StoreUnusableError);
});

it("a repeated change of the key does nothing, and neither does a change from a wrong key", async () => {
  const store = createMemoryStore();
  await check(store, ONE);
  await withAuth(store, ONE);
  await rotate(store, ONE, TWO);
  expect(await rotate(store, ONE, TWO)).toBeUndefined();
  await expect(rotate(store, ONE, THREE)).rejects.toThrow("nothing was changed");
  expect(await passwordIn(store, TWO)).toContain("hush");
});

it("secrets that cannot be decrypted survive a change of the key", async () => {
  const store = createMemoryStore();
  await check(store, ONE);
  await withAuth(store, THREE);
  await expect(rotate(store, ONE, TWO)).rejects.toThrow(/"example".*cannot be decrypted/);
  expect(await passwordIn(store, THREE)).toContain("hush");
});

it("a start with a store is refused without a key, and with invalid addresses", async () => {
  const secretKey = ONE.toString("base64");
  expect(readSecretKey(secretKey)).toBeDefined();
  const store = "postgres://ada:hush@host/sv";
  await expect(startEmulator({ store })).rejects.toThrow("set SV_SECRET_KEY to 32 bytes");
  const refused = [
    { store: "mysql://ada:hush@host/sv", secretKey },
    { store, objects: "https://bucket", secretKey },
    { objects: "s3://bucket" },
  ];
  for (const options of refused) {
    await expect(startEmulator(options)).rejects.toThrow(RangeError);
    await expect(startEmulator(options)).rejects.not.toThrow("hush");
  }
});
