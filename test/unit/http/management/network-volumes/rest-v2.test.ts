/** Network volumes in REST v2: the volumes of REST v1, in another form. */
import { expect, test } from "vitest";
import { DATA_CENTERS } from "../../../../../emulator/core/catalog/data-centers.ts";
import { made, startTestHttp } from "../../http-harness.ts";

const path = "/live/v2/network-volumes";
const order = { name: "models", size: 50, dataCenter: "EU-RO-1" };

test("REST v1 shows and changes a volume without its type, and the type survives that", async () => {
  await using service = await startTestHttp();
  const id = await made(service, path, { ...order, type: "HIGH_PERFORMANCE" });
  const inFirst = `/v1/networkvolumes/${id}`;
  const changed = await service.call("PATCH", inFirst, { body: { size: 70 } });
  expect(changed.json).toEqual({ id, name: "models", size: 70, dataCenterId: "EU-RO-1" });
  const read = await service.call("GET", `${path}/${id}`);
  expect(read.json).toEqual({ id, ...order, size: 70, type: "HIGH_PERFORMANCE" });
});

test("a volume of REST v1 is a standard one, of any size and data centre", async () => {
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
])("%j is refused with a line for each problem", async (body, errors) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("POST", path, { body });
  expect(status).toBe(422);
  expect(json).toMatchObject({ detail: "Request validation failed.", errors });
});

test("an empty change is refused", async () => {
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
