/** Pods over REST v2, for its tests. */
import { expect } from "vitest";
import type { TestHttp } from "../../http-harness.ts";

export const CPU = { id: "cpu3c", vcpuCount: 2 };

export interface Pod {
  readonly id: string;
  readonly [field: string]: unknown;
}

export async function createdPod(service: TestHttp, body: object = {}): Promise<Pod> {
  const all = { name: "box", image: "me/box:1", cpu: CPU, ...body };
  const { json, status, text } = await service.call("POST", "/live/v2/pods", { body: all });
  expect(status, text).toBe(201);
  return json as Pod;
}

export async function readPod(service: TestHttp, id: string): Promise<Pod> {
  return (await service.call("GET", `/live/v2/pods/${id}`)).json as Pod;
}
