/** Creates endpoints by GraphQL, and their parts over the other interface. */
import { type TestHttp, made } from "../../http-harness.ts";
import { dataOf } from "../graphql/graphql-harness.ts";

export const FIELDS = `id name templateId type computeType gpuIds gpuCount instanceIds networkVolumeId
  networkVolumeIds { networkVolumeId dataCenterId } networkVolume { id dataCenterId } locations idleTimeout
  scalerType scalerValue workersMin workersMax workersStandby minCudaVersion allowedCudaVersions
  executionTimeoutMs flashBootType modelReferences env { key value } version createdAt userId aiKey`;

export const SAVE = `mutation ($input: EndpointInput!) { saveEndpoint(input: $input) { ${FIELDS} } }`;

export type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

export async function save(service: TestHttp, input: object): Promise<Shown> {
  const { saveEndpoint } = await dataOf(service, SAVE, { variables: { input } });
  return saveEndpoint as Shown;
}

export function createTemplate(service: TestHttp, name = "worker", more = {}): Promise<string> {
  const body = { name, imageName: "example/a:1", isServerless: true, env: { A: "b" }, ...more };
  return made(service, "/v1/templates", body);
}

export function createVolume(service: TestHttp, name: string): Promise<string> {
  return made(service, "/v1/networkvolumes", { name, size: 10, dataCenterId: "EU-RO-1" });
}
