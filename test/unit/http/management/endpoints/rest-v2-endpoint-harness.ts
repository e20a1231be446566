/** Endpoints of REST v2, as tests create and read them. */
import { expect } from "vitest";
import type { TestHttp } from "../../http-harness.ts";

export const V2 = "/live/v2/serverless";

export type Shown = { readonly id: string } & Readonly<Record<string, unknown>>;

export const GPU = {
  name: "llm",
  type: "QUEUE",
  image: "team/worker:1",
  gpu: { pools: ["ADA_24", "AMPERE_48"], excludedTypes: ["NVIDIA A40"] },
  scaling: { type: "QUEUE_DELAY", queueDelay: 0.5 },
};

export const CPU = {
  name: "small",
  type: "QUEUE",
  image: "team/worker:1",
  cpu: [{ id: "cpu3c", vcpuCount: 4 }],
  scaling: { type: "REQUEST_COUNT", requestCount: 2 },
};

/** The endpoint in the answer. */
export async function create(service: TestHttp, body: object = GPU): Promise<Shown> {
  const { status, json } = await service.call("POST", V2, { body });
  expect(status, JSON.stringify(json)).toBe(201);
  return json as Shown;
}

export const read = async (service: TestHttp, path: string) =>
  (await service.call("GET", path)).json as Readonly<Record<string, unknown>>;

/** Reads the endpoint by REST v1, with its template. */
export const plain = (service: TestHttp, id: string) =>
  read(service, `/v1/endpoints/${id}?includeTemplate=true`);
