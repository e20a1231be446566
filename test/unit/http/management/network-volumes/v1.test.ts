/** Network volumes over HTTP: listed, and named by endpoints. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const ORDER = { name: "models", size: 20, dataCenterId: "EU-RO-1" };

async function create(service: TestHttp, body: unknown = ORDER): Promise<{ readonly id: string }> {
  const { status, json } = await service.call("POST", "/v1/networkvolumes", { body });
  expect(status).toBe(200);
  return json as { id: string };
}

it("volumes are listed as a bare array in order of their names, which can be equal", async () => {
  await using service = await startTestHttp();
  expect((await service.call("GET", "/v1/networkvolumes")).json).toStrictEqual([]);
  const b = await create(service, { ...ORDER, name: "b" });
  const a = await create(service, { ...ORDER, name: "a" });
  const again = await create(service, { ...ORDER, name: "a", dataCenterId: "nowhere-else" });
  const { json } = await service.call("GET", "/v1/networkvolumes");
  expect(json).toStrictEqual([...[a, again].toSorted((x, y) => (x.id < y.id ? -1 : 1)), b]);
});

it("an endpoint shows its volumes, and an empty list means no volumes", async () => {
  await using service = await startTestHttp();
  const [a, b] = [await create(service), await create(service)];
  const made = async (body: object) =>
    (await service.call("POST", "/v1/endpoints", { body: { templateId: "echo", ...body } })).json;
  const both = await made({ networkVolumeId: b.id, networkVolumeIds: [a.id, ""] });
  expect(both).toMatchObject({ networkVolumeId: b.id, networkVolumeIds: [a.id] });
  const { id } = both as { id: string };
  expect((await service.call("GET", `/v1/endpoints/${id}`)).json).toStrictEqual(both);
  const none = await made({ networkVolumeId: "", networkVolumeIds: [""] });
  expect(none).toMatchObject({ networkVolumeIds: [] });
  expect(none).not.toHaveProperty("networkVolumeId");
});

it("one of two requests is refused when a volume is deleted while an endpoint is created with it", async () => {
  await using service = await startTestHttp();
  for (let round = 0; round < 10; round += 1) {
    const { id: networkVolumeId } = await create(service);
    const body = { templateId: "echo", networkVolumeId };
    const [deletion, creation] = [
      service.call("DELETE", `/v1/networkvolumes/${networkVolumeId}`),
      service.call("POST", "/v1/endpoints", { body }),
    ];
    const statuses = [(await deletion).status, (await creation).status];
    expect([
      [204, 400],
      [400, 200],
    ]).toContainEqual(statuses);
  }
});
