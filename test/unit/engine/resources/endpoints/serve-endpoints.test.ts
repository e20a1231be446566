/** Endpoints of handler files over several starts: changes over the interface, and changes of the file. */
import { expect, it } from "vitest";
import { openEngine } from "../../../../../emulator/engine/engine.ts";
import { deleteEndpoint } from "../../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { updateEndpoint } from "../../../../../emulator/engine/resources/endpoints/update-endpoint.ts";
import { updateTemplate } from "../../../../../emulator/engine/resources/templates/update-template.ts";
import {
  type LocalHandler,
  servedEndpoints,
} from "../../../../../emulator/handlers/local-endpoint.ts";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../../emulator/store/store.ts";
import { createSystemRandom } from "../../../../../emulator/assembly/system-clock.ts";
import { FakeClock } from "../../../../fake-clock.ts";
import { ScriptedSender } from "../../../scripted-sender.ts";

const handler: LocalHandler = { id: "hello", path: "/handlers/hello.ts", env: { A: "1" } };

/** A start of the service on the store; returns its remarks on endpoints. */
async function start(store: Store, file: LocalHandler, startedAt = "2026-01-02T00:00:00.000Z") {
  const said: string[] = [];
  const running = await openEngine({
    store,
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
  await running.serve(servedEndpoints([file], startedAt));
  const engine = running.context;
  const template = engine.directory.template("hello");
  const endpoint = engine.directory.endpoint("hello");
  const { records } = await store.boot();
  expect(records.endpoint.get("hello")).toEqual(endpoint);
  expect(records.template.get("hello")).toEqual(template);
  return { engine, said, template, endpoint };
}

it("changes over the interface are kept, and this is logged", async () => {
  const store = createMemoryStore();
  const first = await start(store, handler, "2026-01-01T00:00:00.000Z");
  await updateEndpoint(first.engine, "hello", { workersMax: 9, gpuCount: 2 });
  await updateTemplate(first.engine, "hello", { env: { A: "2" } });
  for (const startedAt of ["2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"]) {
    const next = await start(store, handler, startedAt);
    expect(next.endpoint).toMatchObject({
      workersMax: 9,
      gpuCount: 2,
      version: 3,
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect(next.template).toMatchObject({ env: { A: "2" } });
    expect(next.said).toEqual([
      'info: the endpoint "hello" keeps changes made over the management interface, although its file has other values: gpuCount, workersMax, template.env',
    ]);
  }
});

it("a new value in the file overrides a change over the interface, and this is logged", async () => {
  const store = createMemoryStore();
  const { engine } = await start(store, handler);
  await updateEndpoint(engine, "hello", { workersMax: 9, idleTimeout: 60 });
  const next = await start(store, { ...handler, env: { A: "3" }, settings: { workersMax: 4 } });
  expect(next.endpoint).toMatchObject({ workersMax: 4, idleTimeout: 60, version: 2 });
  expect(next.template).toMatchObject({ env: { A: "3" } });
  expect(next.said).toEqual([
    'info: the endpoint "hello" keeps changes made over the management interface, although its file has other values: idleTimeout',
    'warn: changes of the endpoint "hello" made over the management interface were replaced by its newer file: workersMax',
  ]);
});

it("nothing is logged and the version stays if file and interface agree", async () => {
  const store = createMemoryStore();
  await start(store, handler);
  const { said, endpoint } = await start(store, { ...handler, settings: { workersMax: 5 } });
  expect(said).toEqual([]);
  expect(endpoint).toMatchObject({ workersMax: 5, version: 1 });
});

it("both bounds are the file's if a bound of the interface contradicts them", async () => {
  const store = createMemoryStore();
  const { engine } = await start(store, handler);
  await updateEndpoint(engine, "hello", { workersMax: 1 });
  const file = { ...handler, settings: { workersMin: 2, workersMax: 3 } };
  const { endpoint, said } = await start(store, file);
  expect(endpoint).toMatchObject({ workersMin: 2, workersMax: 3 });
  expect(said).toEqual([
    'warn: changes of the endpoint "hello" made over the management interface were replaced by its newer file: workersMax',
  ]);
});

it("a deleted endpoint starts over", async () => {
  const store = createMemoryStore();
  const { engine } = await start(store, handler);
  await updateEndpoint(engine, "hello", { workersMax: 9 });
  await updateTemplate(engine, "hello", { readme: "mine" });
  await deleteEndpoint(engine, "hello");
  const { endpoint, template, said } = await start(store, handler);
  expect(endpoint).toMatchObject({ workersMax: 3, createdAt: "2026-01-02T00:00:00.000Z" });
  expect(template).toMatchObject({ readme: "" });
  expect(said).toEqual([]);
});
