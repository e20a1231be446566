/** Network volumes in the second version of REST: the same ones as in the first, in other shapes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DATA_CENTERS } from "../../../../../emulator/core/catalog/data-centers.ts";
import {
  volumeBodyV2,
  volumeInputOf,
} from "../../../../../emulator/http/management/network-volumes/rest-v2.ts";
import { startTestHttp } from "../../http-harness.ts";

const path = "/live/v2/network-volumes";
const order = { name: "models", size: 50, dataCenter: "EU-RO-1" };

test("a network volume is made, listed, read, renamed, made larger and deleted", async () => {
  await using service = await startTestHttp();
  const made = await service.call("POST", path, { body: { ...order, type: "HIGH_PERFORMANCE" } });
  expect(made.status).toBe(201);
  const { id } = made.json as { readonly id: string };
  const volume = { id, ...order, type: "HIGH_PERFORMANCE" };
  expect(made.json).toEqual(volume);
  expect(await service.call("GET", `${path}/${id}`)).toMatchObject({ status: 200, json: volume });
  const larger = await service.call("PATCH", `${path}/${id}`, { body: { size: 60 } });
  expect(larger).toMatchObject({ status: 200, json: { ...volume, size: 60 } });
  const other = await service.call("PATCH", `${path}/${id}`, { body: { name: "other" } });
  expect(other.json).toEqual({ ...volume, name: "other", size: 60 });
  const pagination = { nextCursor: null, hasNextPage: false };
  expect((await service.call("GET", path)).json).toEqual({
    networkVolumes: [{ ...volume, name: "other", size: 60 }],
    pagination,
  });
  const gone = await service.call("DELETE", `${path}/${id}`);
  expect(gone).toMatchObject({ status: 204, text: "" });
  expect((await service.call("GET", path)).json).toEqual({ networkVolumes: [], pagination });
  expect(await service.call("GET", `${path}/${id}`)).toMatchObject({
    status: 404,
    json: { title: "Not Found", detail: `there is no network volume "${id}"` },
  });
});

test("the first version shows and changes the same volume, without its type, and its type outlives that", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("POST", path, {
    body: { ...order, type: "HIGH_PERFORMANCE" },
  });
  const { id } = json as { readonly id: string };
  const inFirst = `/v1/networkvolumes/${id}`;
  const changed = await service.call("PATCH", inFirst, { body: { size: 70 } });
  expect(changed.json).toEqual({ id, name: "models", size: 70, dataCenterId: "EU-RO-1" });
  const read = await service.call("GET", `${path}/${id}`);
  expect(read.json).toEqual({ id, ...order, size: 70, type: "HIGH_PERFORMANCE" });
});

test("a volume of the first version is a standard one, of whatever size and data centre", async () => {
  await using service = await startTestHttp();
  const body = { name: "tiny", size: 1, dataCenterId: "HERE" };
  const { json } = await service.call("POST", "/live/v1/networkvolumes", { body });
  const { id } = json as { readonly id: string };
  const read = await service.call("GET", `${path}/${id}`);
  expect(read.json).toEqual({ id, name: "tiny", size: 1, dataCenter: "HERE", type: "STANDARD" });
});

test.each([
  [{}, ["$: missing properties 'name', 'size', 'dataCenter'"]],
  [{ ...order, dataCenterId: "EU-RO-1" }, ["$: additional properties 'dataCenterId' not allowed"]],
  [{ ...order, size: 9 }, ["$.size: minimum: got 9, want 10"]],
  [{ ...order, size: 4_097 }, ["$.size: maximum: got 4097, want 4096"]],
  [{ ...order, name: "" }, ["$.name: minLength: got 0, want 1"]],
  [{ ...order, type: "FAST" }, ["$.type: value must be one of 'STANDARD', 'HIGH_PERFORMANCE'"]],
])("%j is refused with a line for each thing that does not fit", async (body, errors) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("POST", path, { body });
  expect(status).toBe(422);
  expect(json).toMatchObject({ detail: "Request validation failed.", errors });
});

test("a change of nothing does not fit, and a smaller size breaks a rule", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("POST", path, { body: order });
  const { id } = json as { readonly id: string };
  const nothing = await service.call("PATCH", `${path}/${id}`, { body: {} });
  expect(nothing).toMatchObject({
    status: 422,
    json: { errors: ["$: minProperties: got 0, want 1"] },
  });
  const smaller = await service.call("PATCH", `${path}/${id}`, { body: { size: 20 } });
  expect(smaller).toMatchObject({ status: 400, json: { title: "Bad Request" } });
  expect((smaller.json as { detail: string }).detail).toContain("size must be 50 (GB) or more");
  const moved = await service.call("PATCH", `${path}/${id}`, { body: { dataCenter: "US-KS-2" } });
  expect(moved.status).toBe(422);
});

test("what is no data centre's id is refused with those there are", async () => {
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

test("a volume that an endpoint has is not deleted", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("POST", path, { body: order });
  const { id } = json as { readonly id: string };
  await service.test.addEndpoint("user", { networkVolumeId: id });
  const refused = await service.call("DELETE", `${path}/${id}`);
  expect(refused.status).toBe(400);
  expect((refused.json as { detail: string }).detail).toContain(`used by the endpoint "user"`);
});

test("what is sent is what is shown", () => {
  const orders = fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 191 }),
      size: fc.integer({ min: 10, max: 4_096 }),
      dataCenter: fc.stringMatching(/^[A-Za-z0-9-]{1,32}$/),
      type: fc.constantFrom("STANDARD" as const, "HIGH_PERFORMANCE" as const),
    },
    { requiredKeys: ["name", "size", "dataCenter"] },
  );
  fc.assert(
    fc.property(orders, (sent) => {
      const { id, ...shown } = volumeBodyV2({ id: "v", ...volumeInputOf(sent) });
      expect(shown).toEqual({ type: "STANDARD", ...sent });
      expect(id).toBe("v");
    }),
  );
});
