/**
 * Resources in every dialect of management: created, read, listed, changed, deleted and refused. Other files test
 * the behaviour of one dialect alone.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestHttp, type TestHttp, made } from "../../http-harness.ts";
import { DIALECTS, type Dialect, type Driver, Refused, type Thing } from "./drivers.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { NETWORK_VOLUMES } from "./network-volumes.ts";
import { type Given, refusalIn, type RefusedRow } from "./nouns.ts";
import { PODS } from "./pods.ts";
import { TEMPLATES } from "./templates.ts";

const CASES = [TEMPLATES, ENDPOINTS, PODS, NETWORK_VOLUMES].flatMap((kind) => {
  const dialects = DIALECTS.filter((dialect) => kind.unknown[dialect] !== undefined);
  return dialects.map((dialect) => ({ ...kind, dialect }));
});

async function refusal(asked: Promise<unknown>): Promise<string> {
  try {
    return `it was taken: ${JSON.stringify(await asked)}`;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

describe.each(CASES)("$noun in $dialect", ({ dialect, ...kind }) => {
  let service: TestHttp;
  let given: Given;
  let all: Readonly<Partial<Record<Dialect, Driver>>>;
  let driver: Driver;
  beforeAll(async () => {
    service = await startTestHttp();
    const volume = { name: "data", size: 10, dataCenterId: "EU-RO-1" };
    const auth = { name: "given", username: "ada", password: "word" };
    given = {
      registryId: await made(service, "/v1/containerregistryauth", auth),
      volumeIds: await Promise.all([1, 2].map(() => made(service, "/v1/networkvolumes", volume))),
      podTemplateId: await made(service, "/v1/templates", { name: "pod", imageName: "an/image" }),
    };
    all = kind.drivers(service);
    driver = all[dialect] ?? expect.unreachable();
  });
  afterAll(async () => service[Symbol.asyncDispose]());

  let count = 0;
  const newName = () => `name ${(count += 1)}`;
  const create = (fields: Thing = {}) =>
    driver.create({ name: newName(), ...kind.least, ...fields });
  const inAll = <Read>(read: (each: Driver) => Promise<Read>) =>
    Promise.all(Object.values(all).map(read));
  /** Answer to a reader of an unknown id. */
  const unread = (by: Dialect, id: string) =>
    by === "graphql" ? "null" : kind.unknown[by]?.replace("none", id);
  const rows = (refused: readonly RefusedRow[]) =>
    refused.flatMap((row) => {
      const text = refusalIn(dialect, row);
      return text === null ? [] : [{ fields: row[0], text }];
    });

  it("is read as it was created, in every dialect", async () => {
    const full = { ...kind.full(given), name: newName() };
    const one = await create(full);
    expect(await driver.read(one.id)).toEqual(one);
    for (const read of await inAll((each) => each.read(one.id))) expect(read).toMatchObject(full);
  });

  it("is listed until it is deleted, and then unknown", async () => {
    const { id, name } = await create();
    const listed = async () => {
      const lists = await inAll((each) => each.list());
      return lists.map((list) => list.find((each) => each["id"] === id)?.["name"]);
    };
    expect(await listed()).toEqual(Object.keys(all).map(() => name));
    await driver.remove(id);
    expect(await listed()).toEqual(Object.keys(all).map(() => undefined));
    for (const by of DIALECTS)
      if (all[by]) expect(await refusal(all[by].read(id))).toBe(unread(by, id));
    expect(await refusal(driver.remove(id))).toBe(kind.unknown[dialect]?.replace("none", id));
    await create({ name });
  });

  it("is missing under an unknown id", async () => {
    expect(await refusal(driver.read("none"))).toBe(unread(dialect, "none"));
    expect(await refusal(driver.remove("none"))).toBe(kind.unknown[dialect]);
  });

  it.each(rows(kind.refused))("is not created with $fields: $text", async ({ fields, text }) => {
    const before = await driver.list();
    expect(await refusal(create(fields))).toContain(text);
    expect(await driver.list()).toEqual(before);
  });

  it.each(kind.misnamed ? [kind.misnamed] : [])(
    "cannot be created with a resource of another type",
    async (row) => {
      const [misnamed] = rows([row(given)]);
      expect(await refusal(create(misnamed?.fields))).toContain(misnamed?.text);
    },
  );

  it.each(kind.ofTemplate ? [kind.ofTemplate] : [])(
    "takes fields that it does not set from its template",
    async (template, own) => {
      const templateId = await made(service, "/v1/templates", { name: newName(), ...template });
      expect(await create({ ...own, templateId })).toMatchObject({ ...own, ...template });
    },
  );

  it.each(kind.use ? [kind.use] : [])("is not deleted while it is used", async (use) => {
    const one = await create(kind.usable);
    const [path, text] = await use(service, one);
    const status = { v1: "400 in_use ", v2: "400 ", graphql: "" }[dialect];
    expect(await refusal(driver.remove(one.id))).toBe(`${status}${text}`);
    expect(await driver.read(one.id)).toEqual(one);
    await service.call("DELETE", path);
    await driver.remove(one.id);
  });

  describe.each(kind.unchangedIn === dialect ? [] : ["a change"])("%s", () => {
    it("changes only the named fields, and removes emptied ones", async () => {
      const before = await create(kind.full(given));
      const { id } = before;
      const name = newName();
      expect(await driver.change(id, { name })).toEqual({ ...before, name });
      // Its own name is not taken.
      expect(await driver.change(id, { name })).toEqual({ ...before, name });
      expect(await driver.change(id, kind.changed)).toMatchObject({ ...kind.changed, name });
      for (const read of await inAll((each) => each.read(id)))
        expect(read).toMatchObject({ ...kind.changed, name });
      const { emptied = { name } } = kind;
      await driver.change(id, emptied);
      for (const read of await inAll((each) => each.read(id)))
        expect({ ...emptied, ...read }).toMatchObject({ ...kind.changed, ...emptied });
    });

    it("of a missing resource is refused", async () => {
      expect(await refusal(driver.change("none", kind.changed))).toBe(kind.unknown[dialect]);
    });

    it.each(rows(kind.refusedChanges))("to $fields is refused: $text", async ({ fields, text }) => {
      const one = await create(kind.usable);
      expect(await refusal(driver.change(one.id, fields))).toContain(text);
      expect(await driver.read(one.id)).toEqual(one);
    });
  });
});
