/** Concurrent changes, deletions and creations: none is lost, none undoes another, each is reported once. */
import { expect, it } from "vitest";
import { readRegistryAuthInput } from "../../../../emulator/core/resources/registry-auths/registry-auth-input.ts";
import { readTemplateInput } from "../../../../emulator/core/resources/templates/template-input.ts";
import { deleteEndpoint } from "../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import {
  createRegistryAuth,
  deleteRegistryAuth,
} from "../../../../emulator/engine/resources/manage-registry-auths.ts";
import {
  createTemplate,
  deleteTemplate,
} from "../../../../emulator/engine/resources/templates/manage-templates.ts";
import { updateEndpoint } from "../../../../emulator/engine/resources/endpoints/update-endpoint.ts";
import { updateTemplate } from "../../../../emulator/engine/resources/templates/update-template.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

const template = (fields: object) => readTemplateInput({ imageName: "i", ...fields });
const auth = (name: string) => readRegistryAuthInput({ name, username: "u", password: "p" });

it("no change of an endpoint or of its template is lost", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  await Promise.all([
    updateEndpoint(engine, "echo", { name: "new" }),
    updateEndpoint(engine, "echo", { gpuCount: 2 }),
    updateTemplate(engine, "echo", { env: { A: "1" } }),
    updateEndpoint(engine, "echo", { idleTimeout: 9 }),
    updateTemplate(engine, "echo", { readme: "read" }),
    updateEndpoint(engine, "echo", { vcpuCount: 8 }),
  ]);
  const endpoint = engine.directory.endpoint("echo");
  const expected = { name: "new", gpuCount: 2, vcpuCount: 8, idleTimeout: 9, version: 4 };
  expect(endpoint).toMatchObject(expected);
  expect(engine.directory.template("echo")).toMatchObject({ env: { A: "1" }, readme: "read" });
  const { records } = await engine.store.boot();
  const stored = {
    endpoint: records.endpoint.get("echo"),
    template: records.template.get("echo"),
  };
  expect(stored).toEqual({ endpoint, template: engine.directory.template("echo") });
});

it("a name goes to only one of several requests", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  const { id } = await createTemplate(engine, template({ name: "a" }));
  const renamed = await Promise.allSettled([
    updateTemplate(engine, id, { name: "c" }),
    createTemplate(engine, template({ name: "c" })),
    updateTemplate(engine, "echo", { name: "c" }),
  ]);
  expect(renamed.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  const auths = await Promise.allSettled([
    createRegistryAuth(engine, auth("c")),
    createRegistryAuth(engine, auth("c")),
  ]);
  expect(auths.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

it("a resource in use cannot be deleted, and a deleted resource cannot be used", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  const first = await createRegistryAuth(engine, auth("first"));
  const second = await createRegistryAuth(engine, auth("second"));
  const other = await createTemplate(engine, template({ name: "other", isServerless: true }));
  const outcomes = await Promise.allSettled([
    createTemplate(engine, template({ name: "a", containerRegistryAuthId: first.id })),
    deleteRegistryAuth(engine, first.id),
    deleteRegistryAuth(engine, second.id),
    updateTemplate(engine, "echo", { containerRegistryAuthId: second.id }),
    deleteTemplate(engine, other.id),
    updateEndpoint(engine, "echo", { templateId: other.id }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
  ]);
});

/** A store that holds its next commit until the test releases it. */
function storeWithGate() {
  const store = createMemoryStore();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: committed, resolve: tellCommitted } = Promise.withResolvers<void>();
  let isArmed = false;
  let isFull = false;
  const gated = storeWith(store, {
    async flush(batch) {
      if (isFull) throw new StoreFullError("no room");
      await store.flush(batch);
      if (!isArmed) return;
      isArmed = false;
      tellCommitted();
      await opened;
    },
  });
  const arm = () => void (isArmed = true);
  const fill = () => void (isFull = true);
  return { store: gated, arm, committed, open, fill };
}

it("an endpoint that is deleted during a change of it stays deleted", async () => {
  const { store, arm, committed, open } = storeWithGate();
  await using test = await createTestEngine(store);
  const { engine } = test;
  arm();
  const changed = updateEndpoint(engine, "echo", { name: "new" });
  await committed;
  const deleted = deleteEndpoint(engine, "echo");
  open();
  await Promise.all([changed, deleted]);
  expect(engine.directory.findEndpoint("echo")).toBeUndefined();
  expect((await store.boot()).records.endpoint.has("echo")).toBe(false);
});

it("a change survives a deletion that could not be stored", async () => {
  const { store, arm, committed, open, fill } = storeWithGate();
  await using test = await createTestEngine(store);
  const { engine } = test;
  arm();
  const changed = updateEndpoint(engine, "echo", { name: "new" });
  await committed;
  fill();
  const deleted = deleteEndpoint(engine, "echo");
  open();
  await expect(deleted).rejects.toMatchObject({ code: "storage_full" });
  await changed;
  expect(engine.directory.endpoint("echo")).toMatchObject({ name: "new" });
});

it("a change of an endpoint that is being deleted is refused", async () => {
  await using test = await createTestEngine();
  const deleted = deleteEndpoint(test.engine, "echo");
  await expect(updateEndpoint(test.engine, "echo", { name: "new" })).rejects.toMatchObject({
    code: "endpoint_not_found",
  });
  await deleted;
});

it("followers of events get each change once, and none for an update without changes", async () => {
  await using test = await createTestEngine();
  const { engine } = test;
  const told: string[] = [];
  const unfollow = engine.events.follow((event) => {
    if (event.type === "endpoint") told.push(`${event.endpointId} ${event.change}`);
  });
  await updateEndpoint(engine, "echo", { idleTimeout: 9 });
  await updateEndpoint(engine, "echo", { idleTimeout: 9 });
  await updateTemplate(engine, "echo", { readme: "in place" });
  await updateTemplate(engine, "echo", { env: { A: "1" } });
  unfollow();
  expect(told).toEqual(["echo changed", "echo changed"]);
});
