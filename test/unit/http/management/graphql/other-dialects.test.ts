/** Endpoints of REST v2 are correct in GraphQL, and those of GraphQL are correct in REST v2. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { create, GPU, read as readV2, V2 } from "../endpoints/rest-v2-endpoint-harness.ts";
import { FIELDS, save, type Shown } from "../endpoints/graphql-endpoint-harness.ts";
import { dataOf } from "./graphql-harness.ts";

async function endpoint(service: TestHttp, id: string): Promise<Shown> {
  const query = `query ($id: String!) { myself { endpoint(id: $id) { ${FIELDS} } } }`;
  const { myself } = await dataOf(service, query, { variables: { id } });
  return (myself as { readonly endpoint: Shown }).endpoint;
}

it("an endpoint of REST v2 has its GraphQL form, with its own template", async () => {
  await using service = await startTestHttp();
  const { id } = await create(service, { ...GPU, env: { A: "b" }, args: "serve --port 80" });
  const shown = await endpoint(service, id);
  expect(shown).toMatchObject({
    ...{ name: "llm", type: "QB", computeType: "GPU", env: [{ key: "A", value: "b" }] },
    ...{ gpuIds: "ADA_24,AMPERE_48,-NVIDIA A40", gpuCount: 1, idleTimeout: 10 },
    // Half a second; no limit.
    ...{ scalerValue: 1, executionTimeoutMs: 0, flashBootType: "OFF" },
  });
  const { podTemplate, myself } = await dataOf(
    service,
    `query ($id: String!) {
      podTemplate(id: $id) { name imageName dockerArgs isServerless }
      myself { podTemplates { id } }
    }`,
    { variables: { id: shown["templateId"] } },
  );
  const container = { imageName: "team/worker:1", dockerArgs: "serve --port 80" };
  expect(podTemplate).toEqual({ name: "llm-template", ...container, isServerless: true });
  expect(myself).toEqual({ podTemplates: [] });
});

it("an endpoint of REST v2 that is saved as read stays unchanged", async () => {
  await using service = await startTestHttp();
  const scaling = { type: "QUEUE_DELAY", queueDelay: 3 };
  const { id } = await create(service, { ...GPU, scaling });
  const before = await readV2(service, `${V2}/${id}`);
  const { name, templateId, gpuIds, gpuCount, idleTimeout, scalerType, scalerValue, ...more } =
    await endpoint(service, id);
  const { workersMin, workersMax, executionTimeoutMs, locations, flashBootType } = more;
  await save(service, {
    ...{ id, name, templateId, gpuIds, gpuCount, idleTimeout, scalerType, scalerValue },
    ...{ workersMin, workersMax, executionTimeoutMs, locations, flashBootType },
  });
  expect(await readV2(service, `${V2}/${id}`)).toEqual(before);
});
