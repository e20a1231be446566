/** Stored registry credentials: readable with their key only, and checked at the start. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { openEngine } from "../../../../emulator/engine/engine.ts";
import {
  createRegistryAuth,
  updateRegistryAuth,
} from "../../../../emulator/engine/resources/manage-registry-auths.ts";
import { registryCredentials } from "../../../../emulator/engine/resources/registry-credentials.ts";
import { fixedSecretKey, type SecretKey } from "../../../../emulator/secrets/secret-key.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { StoreFullError, StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { ScriptedSender } from "../../scripted-sender.ts";
import type { LogEntry } from "../../engine-harness.ts";

const right = fixedSecretKey(Buffer.alloc(32, 1));
const wrong = fixedSecretKey(Buffer.alloc(32, 2));
const gone: SecretKey = {
  find: () => undefined,
  findOrMake: () => {
    throw new Error("nothing is to be made for reading");
  },
};
const INPUT = { name: "ghcr", username: "ada", password: "pass-canary" };

/** A start of the engine on the store, with its log. */
async function start(store: Store, secretKey: SecretKey) {
  const logged: LogEntry[] = [];
  const collect = (level: LogEntry["level"]) => (fields: LogEntry["fields"], message: string) =>
    void logged.push({ level, fields, message });
  const { context } = await openEngine({
    store,
    clock: new FakeClock(),
    random: createSystemRandom(),
    log: { info: collect("info"), warn: collect("warn"), error: collect("error") },
    launchers: [],
    webhookSender: new ScriptedSender(),
    secretKey,
  });
  return { engine: context, logged };
}

async function storeWithAuth() {
  const store = createMemoryStore();
  const { engine } = await start(store, right);
  return { store, auth: await createRegistryAuth(engine, INPUT) };
}

it("stored credentials are read back, in this start and in the next", async () => {
  const { store, auth } = await storeWithAuth();
  const { engine, logged } = await start(store, right);
  expect(await registryCredentials(engine, auth.id)).toEqual({
    username: "ada",
    password: "pass-canary",
  });
  expect(logged).toEqual([]);
});

it("equal credentials are stored differently each time", async () => {
  const { store, auth } = await storeWithAuth();
  const { engine } = await start(store, right);
  const other = await createRegistryAuth(engine, { ...INPUT, name: "again" });
  expect(other.sealed.nonce).not.toBe(auth.sealed.nonce);
  expect(other.sealed.box).not.toBe(auth.sealed.box);
});

it.each([
  ["with another key", wrong, "the key is another one than they were encrypted with"],
  ["without the key", gone, "the key is gone"],
])(
  "%s the engine reports this at the start and at each use, and continues",
  async (_how, key, why) => {
    const { store, auth } = await storeWithAuth();
    const { engine, logged } = await start(store, key);
    expect(logged).toEqual([
      {
        level: "error",
        fields: { containerRegistryAuthId: auth.id, name: "ghcr" },
        message: expect.stringContaining(why),
      },
    ]);
    expect(logged[0]?.message).toContain(
      `the credentials of the container registry auth "ghcr" (${auth.id}) cannot be decrypted`,
    );
    await expect(registryCredentials(engine, auth.id)).rejects.toMatchObject({
      code: "secrets_unusable",
      message: expect.stringContaining(why),
    });
  },
);

it("a record that was changed, or put in the place of another, is refused", async () => {
  const { store, auth } = await storeWithAuth();
  const { engine } = await start(store, right);
  const other = await createRegistryAuth(engine, { ...INPUT, name: "other" });
  await engine.steps.commit((step) =>
    step.putRecord("registryAuth", auth.id, { ...auth, sealed: other.sealed }),
  );
  await expect(registryCredentials(engine, auth.id)).rejects.toMatchObject({
    code: "secrets_unusable",
  });
  expect(await registryCredentials(engine, other.id)).toMatchObject({ username: "ada" });
});

it("no credentials are stored when the key cannot be used or created", async () => {
  const store = createMemoryStore();
  const failing = (error: Error): SecretKey => {
    const fail = () => {
      throw error;
    };
    return { find: fail, findOrMake: fail };
  };
  const damaged = await start(store, failing(new StoreUnusableError("secret.key is damaged")));
  await expect(createRegistryAuth(damaged.engine, INPUT)).rejects.toMatchObject({
    code: "secrets_unusable",
    message: "secret.key is damaged",
  });
  const full = await start(store, failing(new StoreFullError("no room")));
  await expect(createRegistryAuth(full.engine, INPUT)).rejects.toMatchObject({
    code: "storage_full",
  });
  expect((await store.boot()).records.registryAuth).toEqual(new Map());
});

it("an unknown auth has no credentials", async () => {
  const { engine } = await start(createMemoryStore(), right);
  await expect(registryCredentials(engine, "cl1")).rejects.toMatchObject({
    code: "registry_auth_not_found",
  });
});

it("replaced credentials of an auth are read back under the same id and name", async () => {
  const { store, auth } = await storeWithAuth();
  const { engine } = await start(store, right);
  const other = { username: "grace", password: "other-canary" };
  expect(await updateRegistryAuth(engine, auth.id, other)).toMatchObject({
    id: auth.id,
    name: "ghcr",
  });
  const next = await start(store, right);
  expect(await registryCredentials(next.engine, auth.id)).toEqual(other);
  await expect(updateRegistryAuth(engine, "none", other)).rejects.toMatchObject({
    code: "registry_auth_not_found",
  });
});
