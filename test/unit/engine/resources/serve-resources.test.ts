/**
 * Shared resources of endpoints of files, over several starts: created once, changed by the newer value, and never
 * taken from others.
 */
import { expect, it } from "vitest";
import type { ServedResources } from "../../../../emulator/core/resources/endpoints/served-endpoint.ts";
import { openEngine } from "../../../../emulator/engine/engine.ts";
import { listOrigins } from "../../../../emulator/engine/resources/list-origins.ts";
import { updateNetworkVolume } from "../../../../emulator/engine/resources/manage-network-volumes.ts";
import { createRegistryAuth } from "../../../../emulator/engine/resources/manage-registry-auths.ts";
import { createTemplate } from "../../../../emulator/engine/resources/templates/manage-templates.ts";
import { registryCredentials } from "../../../../emulator/engine/resources/registry-credentials.ts";
import { updateTemplate } from "../../../../emulator/engine/resources/templates/update-template.ts";
import { readTemplateInput } from "../../../../emulator/core/resources/templates/template-input.ts";
import { templateOf } from "../../../../emulator/core/resources/templates/template-fields.ts";
import { servedEndpoints } from "../../../../emulator/handlers/local-endpoint.ts";
import { fixedSecretKey } from "../../../../emulator/secrets/secret-key.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { ScriptedSender } from "../../scripted-sender.ts";

const VOLUME = { id: "volume0001", name: "weights", size: 10, dataCenterId: "EU-RO-1" };
const AUTH = { id: "cl00000000000000000000001", name: "example", username: "ada", password: "1" };
const TEMPLATE = templateOf({ id: "template01", name: "base", imageName: "busybox:1" });
const SHARED: ServedResources = {
  networkVolumes: [VOLUME],
  registryAuths: [AUTH],
  templates: [{ template: TEMPLATE, envSources: { TOKEN: "HF_TOKEN" } }],
};
const IMAGES = ["a", "b"].map((id) => ({
  id,
  template: TEMPLATE.id,
  volume: "/data",
  settings: { networkVolumeId: VOLUME.id },
}));

const secretKey = fixedSecretKey(Buffer.alloc(32, 7));

async function start(
  store: Store,
  resources: Partial<ServedResources>,
  createdAt = "2026-01-01T00:00:00.000Z",
) {
  const said: string[] = [];
  const running = await openEngine({
    store,
    secretKey,
    clock: new FakeClock(),
    random: createSystemRandom(),
    log: {
      info: (_fields, message) => void said.push(`info: ${message}`),
      warn: (_fields, message) => void said.push(`warn: ${message}`),
      error: (_fields, message) => void said.push(`error: ${message}`),
    },
    launchers: [],
    webhookSender: new ScriptedSender(),
  });
  const served = servedEndpoints(IMAGES, createdAt);
  await running.serve(served, resources);
  return { engine: running.context, said };
}

it("volumes, auths and templates are created once, and connected with the endpoints that name them", async () => {
  const store = createMemoryStore();
  for (let starts = 0; starts < 2; starts += 1) {
    const { engine, said } = await start(store, SHARED);
    expect(engine.directory.volumes()).toEqual([VOLUME]);
    expect(await registryCredentials(engine, AUTH.id)).toEqual({ username: "ada", password: "1" });
    expect(engine.directory.templates()).toEqual([TEMPLATE]);
    expect(engine.directory.endpoint("a")).toMatchObject({
      templateId: TEMPLATE.id,
      networkVolumeId: VOLUME.id,
      version: 1,
    });
    expect(said).toEqual([]);
  }
});

it("a start with unchanged files writes nothing", async () => {
  using temporary = temporaryDirectory();
  const commits = [0, 0];
  for (const [run, at] of ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"].entries()) {
    const store = await openSqliteStore({
      directory: temporary.path,
      onCommit: () => (commits[run] = (commits[run] ?? 0) + 1),
    });
    const { engine } = await start(store, SHARED, at);
    await engine.usage.stop();
    await store.close();
  }
  expect(commits).toEqual([expect.toSatisfy((count: number) => count > 0), 0]);
});

it("a change over the interface is kept until the file has a new value", async () => {
  const store = createMemoryStore();
  const { engine } = await start(store, SHARED);
  await updateTemplate(engine, TEMPLATE.id, { readme: "mine", env: { A: "1" } });
  await updateNetworkVolume(engine, VOLUME.id, { name: "mine", size: 20 });
  const second = await start(store, SHARED);
  expect(second.engine.directory.template(TEMPLATE.id)).toMatchObject({
    readme: "mine",
    env: { A: "1" },
  });
  expect(second.engine.directory.volume(VOLUME.id)).toMatchObject({ name: "mine", size: 20 });
  expect(second.said).toEqual([
    'info: the network volume "weights" keeps changes made over the management interface, although its file has other values: name',
    'info: the template "base" keeps changes made over the management interface, although its file has other values: env, readme',
  ]);
  const template = { ...TEMPLATE, env: { A: "2" } };
  const third = await start(store, {
    ...SHARED,
    networkVolumes: [{ ...VOLUME, size: 15 }],
    registryAuths: [{ ...AUTH, password: "2" }],
    templates: [{ template }],
  });
  expect(third.engine.directory.template(TEMPLATE.id)).toMatchObject({
    readme: "mine",
    env: { A: "2" },
  });
  // A volume can only grow.
  expect(third.engine.directory.volume(VOLUME.id).size).toBe(20);
  expect(await registryCredentials(third.engine, AUTH.id)).toMatchObject({ password: "2" });
  // Its workers have been replaced.
  for (const id of ["a", "b"])
    expect(third.engine.directory.endpoint(id).version).toBe(
      second.engine.directory.endpoint(id).version + 1,
    );
});

it("a name of a resource made over the interface is not taken over", async () => {
  const store = createMemoryStore();
  const { engine } = await start(store, SHARED);
  const template = await createTemplate(
    engine,
    readTemplateInput({ name: "other", imageName: "x" }),
  );
  const auth = await createRegistryAuth(engine, { name: "other", username: "a", password: "b" });
  await expect(
    start(store, { templates: [{ template: { ...TEMPLATE, name: "other" } }] }),
  ).rejects.toThrow(
    `there is a template named "other" already, which was made over the management interface (${template.id})`,
  );
  await expect(start(store, { registryAuths: [{ ...AUTH, name: "other" }] })).rejects.toThrow(
    `rename the one in the config, or give it the key "${auth.id}"`,
  );
});

it("the origins of endpoints and secret variables are reported", async () => {
  const { engine } = await start(createMemoryStore(), SHARED);
  expect(listOrigins(engine)).toEqual({
    endpoints: [
      { id: "a", volumePath: "/data" },
      { id: "b", volumePath: "/data" },
    ],
    templates: [{ id: TEMPLATE.id, envSources: { TOKEN: "HF_TOKEN" } }],
  });
});
