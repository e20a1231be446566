/** Network volumes in the second version of REST: the same ones as in the first, in other shapes. */
import { expect, test } from "vitest";
import { DATA_CENTERS } from "../../../../../emulator/core/catalog/data-centers.ts";
import { made, startTestHttp } from "../../http-harness.ts";

const path = "/live/v2/network-volumes";
const order = { name: "models", size: 50, dataCenter: "EU-RO-1" };

test("the first version shows and changes the same volume, without its type, and its type outlives that", async () => {
  await using service = await startTestHttp();
  const id = await made(service, path, { ...order, type: "HIGH_PERFORMANCE" });
  const inFirst = `/v1/networkvolumes/${id}`;
  const changed = await service.call("PATCH", inFirst, { body: { size: 70 } });
  expect(changed.json).toEqual({ id, name: "models", size: 70, dataCenterId: "EU-RO-1" });
  const read = await service.call("GET", `${path}/${id}`);
  expect(read.json).toEqual({ id, ...order, size: 70, type: "HIGH_PERFORMANCE" });
});

test("a volume of the first version is a standard one, of whatever size and data centre", async () => {
  await using service = await startTestHttp();
  const body = { name: "tiny", size: 1, dataCenterId: "HERE" };
  const id = await made(service, "/live/v1/networkvolumes", body);
  const read = await service.call("GET", `${path}/${id}`);
  expect(read.json).toEqual({ id, name: "tiny", size: 1, dataCenter: "HERE", type: "STANDARD" });
});

test.each([
  [{}, ["$: missing properties 'name', 'size', 'dataCenter'"]],
  [{ ...order, dataCenterId: "EU-RO-1" }, ["$: additional properties 'dataCenterId' not allowed"]],
  [{ ...order, type: "FAST" }, ["$.type: value must be one of 'STANDARD', 'HIGH_PERFORMANCE'"]],
])("%j is refused with a line for each thing that does not fit", async (body, errors) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("POST", path, { body });
  expect(status).toBe(422);
  expect(json).toMatchObject({ detail: "Request validation failed.", errors });
});

test("a change of nothing does not fit", async () => {
  await using service = await startTestHttp();
  const id = await made(service, path, order);
  const nothing = await service.call("PATCH", `${path}/${id}`, { body: {} });
  expect(nothing).toMatchObject({
    status: 422,
    json: { errors: ["$: minProperties: got 0, want 1"] },
  });
});

test("an unknown data centre is refused with the list of known ones", async () => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("POST", path, {
    body: { ...order, dataCenter: "the cellar" },
  });
  expect(status).toBe(400);
  const all = DATA_CENTERS.map(({ id }) => id).join(", ");
  expect(json).toMatchObject({
    detail: `Data center "the cellar" not found or does not support network volumes. Available data centers: ${all}`,
  });
});
