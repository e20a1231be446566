/** Records that several engines change on one store. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTemplateInput } from "../../../../emulator/core/resources/templates/template-input.ts";
import { createTemplate } from "../../../../emulator/engine/resources/templates/manage-templates.ts";
import { deleteEndpoint } from "../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { updateEndpoint } from "../../../../emulator/engine/resources/endpoints/update-endpoint.ts";
import { updateTemplate } from "../../../../emulator/engine/resources/templates/update-template.ts";
import type { ServiceEvent } from "../../../../emulator/engine/observe/event-feed.ts";
import { dropEndpoint } from "../../stored-records.ts";
import { ScriptedLauncher } from "../scripted-launcher.ts";
import { Gate, type Member, SharedService, submitTo } from "./shared-service.ts";

let service: SharedService;

beforeEach(() => {
  service = new SharedService();
});
afterEach(() => service[Symbol.asyncDispose]());

const templateNamed = (name: string) => readTemplateInput({ name, imageName: "image" });

const namesIn = ({ engine }: Member) =>
  engine.directory
    .templates()
    .map(({ name }) => name)
    .toSorted();

it("concurrent changes by two engines both take effect, each based on the stored record", async () => {
  const first = await service.open([1]);
  const second = await service.open([2]);
  await first.engine.steps.refreshRecords();
  const changed = [first, second].map(({ engine }, at) =>
    at === 0
      ? updateEndpoint(engine, "echo-1", { idleTimeout: 7 })
      : updateEndpoint(engine, "echo-1", { workersMax: 9 }),
  );
  await Promise.all(changed);
  for (const { engine } of [first, second]) {
    await engine.steps.refreshRecords();
    expect(engine.directory.endpoint("echo-1")).toMatchObject({ idleTimeout: 7, workersMax: 9 });
  }
});

it("a name that another engine has just used is refused", async () => {
  const first = await service.open();
  const second = await service.open();
  const made = [first, second].map(({ engine }) => createTemplate(engine, templateNamed("one")));
  const [one, other] = await Promise.allSettled(made);
  expect(one?.status).toBe("fulfilled");
  expect(other).toMatchObject({ status: "rejected", reason: { code: "template_name_taken" } });
  await second.engine.steps.refreshRecords();
  expect(namesIn(second).filter((name) => name === "one")).toHaveLength(1);
});

it("a step is rerun if others changed its records before it was stored; jobs of its batch are stored", async () => {
  const first = await service.open([1]);
  const second = await service.open();
  const gate = new Gate();
  first.replica.before = gate.pass;
  const [job, a] = [submitTo(first, "echo-1"), createTemplate(first.engine, templateNamed("a"))];
  await service.settle();
  // This batch gathers while the other one is written.
  const b = createTemplate(first.engine, templateNamed("b"));
  await createTemplate(second.engine, templateNamed("c"));
  // Changes reported while a batch of records is written are applied after it.
  await first.replica.refreshRecords();
  expect(namesIn(first)).not.toContain("c");
  gate.open();
  await Promise.all([job, a, b]);
  await Promise.all([first, second].map(({ engine }) => engine.steps.refreshRecords()));
  expect(namesIn(first)).toEqual(expect.arrayContaining(["a", "b", "c"]));
  expect(namesIn(second)).toEqual(namesIn(first));
});

it("a step in the open batch is rerun at once when others change records", async () => {
  const first = await service.open([1]);
  const second = await service.open();
  const gate = new Gate();
  first.replica.before = gate.pass;
  const job = submitTo(first, "echo-1");
  await service.settle();
  const mine = createTemplate(first.engine, templateNamed("one"));
  await createTemplate(second.engine, templateNamed("one"));
  await first.replica.refreshRecords();
  expect(namesIn(first)).toContain("one");
  gate.open();
  await expect(mine).rejects.toMatchObject({ code: "template_name_taken" });
  await job;
});

it("a step is refused after 10 tries if other replicas keep changing records, and stores nothing", async () => {
  const first = await service.open();
  const second = await service.open();
  let made = 0;
  first.replica.before = async () => {
    await createTemplate(second.engine, templateNamed(`in the way ${(made += 1)}`));
  };
  await expect(createTemplate(first.engine, templateNamed("a"))).rejects.toMatchObject({
    code: "storage_busy",
    retryAfterMs: 1_000,
  });
  expect(made).toBe(10);
  first.replica.before = async () => undefined;
  await second.engine.steps.refreshRecords();
  expect(namesIn(second)).not.toContain("a");
});

it("an endpoint that another engine changed has its workers replaced by its owner, also through its template", async () => {
  const launcher = new ScriptedLauncher();
  const first = await service.open([1], launcher);
  const second = await service.open();
  await updateEndpoint(second.engine, "echo-1", { workersMin: 1 });
  await first.engine.steps.refreshRecords();
  await service.settle();
  expect(launcher.launched).toHaveLength(1);
  await launcher.at(0).connect(first.engine);
  const { templateId } = second.engine.directory.endpoint("echo-1");
  await updateTemplate(second.engine, templateId, { env: { A: "1" } });
  await first.engine.steps.refreshRecords();
  await service.settle();
  expect(launcher.launched.map(({ order }) => order.endpoint.version)).toEqual([1, 2]);
});

it("an endpoint that another engine deleted is gone here, and its followers are notified", async () => {
  const launcher = new ScriptedLauncher();
  const first = await service.open([1], launcher);
  const second = await service.open([2]);
  await updateEndpoint(first.engine, "echo-1", { workersMin: 1 });
  await service.settle();
  const events: ServiceEvent[] = [];
  first.engine.events.follow((event) => events.push(event));
  await second.engine.steps.refreshRecords();
  await dropEndpoint(second.engine, "echo-1");
  await deleteEndpoint(second.engine, "echo-2");
  await first.engine.steps.refreshRecords();
  await service.settle();
  expect(first.engine.directory.findEndpoint("echo-1")).toBeUndefined();
  expect(events.filter(({ type }) => type === "endpoint")).toMatchObject([
    { endpointId: "echo-1", change: "deleted" },
    { endpointId: "echo-2", change: "deleted" },
  ]);
  await service.clock.advance(60_000);
  expect(launcher.at(0).wasDrained || launcher.at(0).wasKilled).toBe(true);
});
