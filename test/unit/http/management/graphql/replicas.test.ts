/**
 * GraphQL with several replicas on one store: any replica takes any document, and the owner of its subject answers
 * it.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import { endpointMoved } from "../../../../../emulator/engine/steps/state/endpoint-moved.ts";
import { startReplicas, type TestReplicas, until } from "../../replicas/replicas-harness.ts";
import { ask, dataOf, messageOf } from "./graphql-harness.ts";

let replicas: TestReplicas;
beforeEach(async () => {
  replicas = await startReplicas();
});
afterEach(() => replicas[Symbol.asyncDispose]());

const pods = ({ service }: TestReplicas["a"]) => service.test.engine.steps.records.all("pod");

it("pods are changed and read by the replica that runs them", async () => {
  const { a, b, c } = replicas;
  const deploy = 'mutation { podFindAndDeployOnDemand(input: {imageName: "example/a:1"}) { id } }';
  const { podFindAndDeployOnDemand } = await dataOf(a.service, deploy);
  const { id } = podFindAndDeployOnDemand as { id: string };
  expect([pods(a), pods(b).map((pod) => pod.id), pods(c)]).toEqual([[], [id], []]);
  const ports = { "22": 4_022 };
  b.service.test.engine.podRuns.set(id, { stage: "running", gpus: [], ports });
  const query = `{ pod(input: {podId: "${id}"}) { id runtime { uptimeInSeconds } } }`;
  expect(await dataOf(c.service, query)).toEqual({ pod: { id, runtime: { uptimeInSeconds: 0 } } });
  expect(await dataOf(c.service, "{ myself { pods { id } } }")).toEqual({
    myself: { pods: [{ id }] },
  });
  const inFragments =
    "{ ...Q } fragment Q on Query { myself { ...U } } fragment U on User { ... { pods { id } } }";
  expect(await dataOf(c.service, inFragments)).toEqual({ myself: { pods: [{ id }] } });
  const stop = "mutation ($podId: String!) { podStop(input: {podId: $podId}) { desiredStatus } }";
  expect(await dataOf(c.service, stop, { variables: { podId: id } })).toEqual({
    podStop: { desiredStatus: "EXITED" },
  });
  await dataOf(a.service, `mutation { podTerminate(input: {podId: "${id}"}) }`);
  expect(pods(b)).toEqual([]);
});

it("an endpoint is deleted, replaced and given a template by its owner", async () => {
  const { a, b, c, cluster } = replicas;
  cluster.owners.set("echo", "c");
  const endpointAt = ({ service }: typeof a) => service.test.engine.directory.findEndpoint("echo");
  await dataOf(a.service, 'mutation { saveEndpoint(input: {id: "echo", idleTimeout: 77}) { id } }');
  expect([a, b, c].map((replica) => endpointAt(replica)?.idleTimeout === 77)).toEqual([
    ...[false, false, true],
  ]);
  const change = `mutation ($input: UpdateEndpointTemplateInput) {
    updateEndpointTemplate(input: $input) { templateId } }`;
  const input = { endpointId: "echo", templateId: "echo" };
  await dataOf(b.service, change, { variables: { input } });
  await dataOf(a.service, 'mutation { deleteEndpoint(id: "echo") }');
  expect([a, b, c].map((replica) => endpointAt(replica) === undefined)).toEqual([
    ...[false, false, true],
  ]);
});

it("an endpoint shows its workers, whichever replica owns them, also with the key in the query", async () => {
  const { a, b, c } = replicas;
  const workers = [];
  for (const { service } of [a, b, c]) workers.push(await service.test.connectWorker());
  const ids = workers.map(({ worker }) => worker.id);
  const query = '{ myself { endpoints { pods { id } } endpoint(id: "echo") { pods { id } } } }';
  for (const options of [{}, { key: "", search: "?api_key=test-key" }]) {
    const { myself } = await dataOf(a.service, query, options);
    const shown = { pods: ids.map((id) => ({ id })) };
    expect(myself).toEqual({ endpoints: [shown], endpoint: shown });
  }
});

it("records are refreshed before they are read or changed, but not for public queries", async () => {
  const { a, cluster } = replicas;
  await dataOf(a.service, "{ myself { podTemplates { id } } }");
  expect(cluster.refreshed).toBe(1);
  await dataOf(a.service, "{ serverlessGpuPools { id } }", { key: "" });
  expect(cluster.refreshed).toBe(1);
});

it("changes of resources of two replicas in one document are refused before any change", async () => {
  const { a, b, cluster } = replicas;
  const deploy = 'podFindAndDeployOnDemand(input: {imageName: "example/a:1"}) { id }';
  const both = `mutation { ${deploy} deleteEndpoint(id: "echo") }`;
  cluster.owners.set("echo", "c");
  expect(await messageOf(a.service, both)).toContain("send each in its own request");
  expect(pods(b)).toEqual([]);
  cluster.owners.delete("echo");
  await dataOf(a.service, both);
  expect(pods(b)).toHaveLength(1);
});

it("an invalid document is refused by the replica that received it", async () => {
  const { a } = replicas;
  expect(await messageOf(a.service, "mutation { podStop")).toContain("Syntax Error");
  expect((await ask(a.service, "{ pods }", { key: "wrong" })).status).toBe(401);
  expect(a.service.test.engine.metrics.forwarded.series).toEqual([]);
});

it("a mutation of an endpoint without an owner is refused after a while, in GraphQL's form", async () => {
  const { a, cluster } = replicas;
  cluster.owners.set("echo", undefined);
  const { clock } = a.service.test;
  const { armed } = clock;
  const answered = ask(a.service, 'mutation { deleteEndpoint(id: "echo") }');
  await until(() => clock.armed > armed);
  await clock.advance(2_000);
  const { status, json } = await answered;
  const { message } = endpointMoved({ endpointId: "echo" });
  expect([status, json]).toEqual([503, { errors: [{ message }], data: null }]);
});
