/** Network volumes over HTTP: created, grown, refused with every problem named, kept while an endpoint uses them. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const ORDER = { name: "models", size: 20, dataCenterId: "EU-RO-1" };

async function create(service: TestHttp, body: unknown = ORDER): Promise<{ readonly id: string }> {
  const { status, json } = await service.call("POST", "/v1/networkvolumes", { body });
  expect(status).toBe(200);
  return json as { id: string };
}

it("creates a volume with the fields of the interface and no others, and shows it again", async () => {
  await using service = await startTestHttp();
  const created = await create(service);
  expect(created).toStrictEqual({ id: expect.stringMatching(/^[a-z0-9]{10}$/), ...ORDER });
  const path = `/v1/networkvolumes/${created.id}`;
  expect(await service.call("GET", path)).toMatchObject({ status: 200, json: created });
});

it("lists volumes as a bare array in order of their names, of which two may be the same", async () => {
  await using service = await startTestHttp();
  expect((await service.call("GET", "/v1/networkvolumes")).json).toStrictEqual([]);
  const b = await create(service, { ...ORDER, name: "b" });
  const a = await create(service, { ...ORDER, name: "a" });
  const again = await create(service, { ...ORDER, name: "a", dataCenterId: "nowhere-else" });
  const { json } = await service.call("GET", "/v1/networkvolumes");
  expect(json).toStrictEqual([...[a, again].toSorted((x, y) => (x.id < y.id ? -1 : 1)), b]);
});

it.each([["PATCH"], ["PUT"], ["POST"]] as const)(
  "%s renames and enlarges a volume",
  async (method) => {
    await using service = await startTestHttp();
    const { id } = await create(service);
    const path = `/v1/networkvolumes/${id}`;
    const call = (body: object) =>
      service.call(method, method === "POST" ? `${path}/update` : path, { body });
    expect(await call({ size: 40 })).toMatchObject({
      status: 200,
      json: { id, ...ORDER, size: 40 },
    });
    const expected = { id, ...ORDER, name: "other", size: 40 };
    // The size it has is no change, for clients that send everything again.
    expect(await call({ name: "other", size: 40 })).toMatchObject({ status: 200, json: expected });
    expect(await call({})).toMatchObject({ status: 200, json: expected });
    expect((await service.call("GET", path)).json).toStrictEqual(expected);
  },
);

it("refuses to make a volume smaller, or to move it, and leaves it as it is", async () => {
  await using service = await startTestHttp();
  const created = await create(service);
  const path = `/v1/networkvolumes/${created.id}`;
  const shrunk = await service.call("PATCH", path, { body: { name: "other", size: 19 } });
  expect(shrunk.json).toMatchObject({
    status: 400,
    code: "invalid_request",
    problems: ["size must be 20 (GB) or more, for a network volume only grows; got 19"],
  });
  const moved = await service.call("PATCH", path, { body: { dataCenterId: "US-TX-3", sise: 30 } });
  expect(moved.json).toMatchObject({
    status: 400,
    problems: [
      "dataCenterId cannot be changed: a volume stays where it was created",
      'the key "sise" is unknown; did you mean size?',
    ],
  });
  expect((await service.call("GET", path)).json).toStrictEqual(created);
});

it("names every problem of a body", async () => {
  await using service = await startTestHttp();
  const body = { name: "", size: 4_001, dataCenter: "EU-RO-1" };
  const { json } = await service.call("POST", "/v1/networkvolumes", { body });
  expect(json).toMatchObject({ status: 400, code: "invalid_request" });
  expect((json as { problems: string[] }).problems.toSorted()).toStrictEqual([
    "dataCenterId is required and must be a string of 1 to 32 characters",
    'name must be a string of 1 to 191 characters; got ""',
    "size must be an integer from 0 to 4000 (GB); got 4001",
    'the key "dataCenter" is unknown; did you mean dataCenterId?',
  ]);
  for (const size of [-1, 1.5, "20", null]) {
    const answer = await service.call("POST", "/v1/networkvolumes", { body: { ...ORDER, size } });
    expect(answer.json).toMatchObject({
      problems: [expect.stringMatching(/^size must be an integer from 0 to 4000 \(GB\); got /)],
    });
  }
  expect((await service.call("GET", "/v1/networkvolumes")).json).toStrictEqual([]);
});

it.each([
  ["GET", ""],
  ["PATCH", ""],
  ["PUT", ""],
  ["POST", "/update"],
  ["DELETE", ""],
] as const)("%s answers 404 for a volume that is not there", async (method, rest) => {
  await using service = await startTestHttp();
  const answer = await service.call(method, `/v1/networkvolumes/none${rest}`, {
    ...(method === "GET" || method === "DELETE" ? {} : { body: {} }),
  });
  expect(answer.json).toStrictEqual({
    error: 'there is no network volume "none"',
    code: "network_volume_not_found",
    status: 404,
  });
});

it("an endpoint shows the volumes it was given; empty ids mean none", async () => {
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

it("a volume that endpoints use stays until they are gone", async () => {
  await using service = await startTestHttp();
  const { id: volumeId } = await create(service);
  const users: string[] = [];
  for (const choice of [{ networkVolumeId: volumeId }, { networkVolumeIds: ["", volumeId] }]) {
    const body = { templateId: "echo", ...choice };
    const { json } = await service.call("POST", "/v1/endpoints", { body });
    users.push((json as { id: string }).id);
  }
  const path = `/v1/networkvolumes/${volumeId}`;
  const [first, second] = users.toSorted();
  expect((await service.call("DELETE", path)).json).toMatchObject({
    status: 400,
    code: "in_use",
    error: `the network volume "models" (${volumeId}) is used by the endpoints "${first}", "${second}"; change or delete them first`,
  });
  for (const id of users) await service.call("DELETE", `/v1/endpoints/${id}`);
  expect(await service.call("DELETE", path)).toMatchObject({ status: 204, text: "" });
  expect((await service.call("GET", path)).status).toBe(404);
  const late = await service.call("POST", "/v1/endpoints", {
    body: { templateId: "echo", networkVolumeId: volumeId },
  });
  expect(late.json).toMatchObject({ status: 400, code: "invalid_request" });
});

it("of a deletion and the creation of an endpoint with the volume at the same time one is refused", async () => {
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
