/** Container registry auths over HTTP: created, listed and deleted, and their credentials never shown. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";

const PATH = "/v1/containerregistryauth";
const AUTH = { name: "ghcr", username: "ada-canary", password: "pass-canary" };

const create = (service: TestHttp, body: unknown = AUTH) => service.call("POST", PATH, { body });
const idOf = async (service: TestHttp, body: unknown = AUTH) =>
  ((await create(service, body)).json as { readonly id: string }).id;

it("every answer has only an auth's id and name", async () => {
  await using service = await startTestHttp();
  const created = await create(service);
  expect(created.status).toBe(200);
  const expected = { id: expect.stringMatching(/^cl[a-z0-9]{23}$/), name: "ghcr" };
  expect(created.json).toStrictEqual(expected);
  const { id } = created.json as { id: string };
  const read = await service.call("GET", `${PATH}/${id}`);
  expect(read).toMatchObject({ status: 200, json: created.json });
  await create(service, { ...AUTH, name: "another" });
  const list = await service.call("GET", PATH);
  expect(list.json).toStrictEqual([{ ...expected, name: "another" }, created.json]);
  for (const { text } of [created, read, list]) expect(text).not.toContain("canary");
});

it("all three fields are required, others are refused, and refusals show no secret", async () => {
  await using service = await startTestHttp();
  const problemsOf = async (body: unknown) => {
    const { json, status } = await create(service, body);
    expect(status).toBe(400);
    return (json as { problems: readonly string[] }).problems;
  };
  expect(await problemsOf({})).toStrictEqual([
    "name is required and must be a string of 1 to 191 characters",
    "username is required and must be a string of 1 to 1024 characters",
    "password is required and must be a string of 1 to 16384 characters",
  ]);
  expect(await problemsOf({ ...AUTH, username: 4711, password: ["pass-canary"] })).toStrictEqual([
    "username (not shown here) must be a string of 1 to 1024 characters",
    "password (not shown here) must be a string of 1 to 16384 characters",
  ]);
  expect(await problemsOf({ ...AUTH, passwrod: "pass-canary" })).toStrictEqual([
    'the key "passwrod" is unknown; did you mean password?',
  ]);
  const broken = await create(service, '{"name":"a","username":"b","password":"pass-canary" oops');
  expect(broken.status).toBe(400);
  expect(broken.text).not.toContain("canary");
  expect(JSON.stringify(service.test.logged)).not.toContain("canary");
});

it("a used name is refused", async () => {
  await using service = await startTestHttp();
  await create(service);
  expect((await create(service)).json).toStrictEqual({
    error: 'there is already a container registry auth named "ghcr"',
    code: "registry_auth_name_taken",
    status: 400,
  });
});

it("a deletion answers 204 with an empty body, and the auth is gone", async () => {
  await using service = await startTestHttp();
  const id = await idOf(service);
  expect(await service.call("DELETE", `${PATH}/${id}`)).toMatchObject({ status: 204, text: "" });
  for (const method of ["GET", "DELETE"] as const) {
    expect((await service.call(method, `${PATH}/${id}`)).json).toStrictEqual({
      error: `there is no container registry auth "${id}"`,
      code: "registry_auth_not_found",
      status: 404,
    });
  }
  expect((await create(service)).status).toBe(200);
});

it("an auth of templates is kept, and the refusal names them; it can be deleted when they clear it", async () => {
  await using service = await startTestHttp();
  const id = await idOf(service);
  const template = { imageName: "me/private:1", containerRegistryAuthId: id };
  const made = await service.call("POST", "/v1/templates", { body: { ...template, name: "a" } });
  expect(made.json).toMatchObject({ containerRegistryAuthId: id });
  const two = await service.call("POST", "/v1/templates", {
    body: { imageName: "i", name: "b", containerRegistryAuthId: "" },
  });
  expect(two.json).not.toHaveProperty("containerRegistryAuthId");
  const paths = [made, two].map(({ json }) => `/v1/templates/${(json as { id: string }).id}`);
  await service.call("PATCH", paths[1] ?? "", { body: { containerRegistryAuthId: id } });

  expect((await service.call("DELETE", `${PATH}/${id}`)).json).toStrictEqual({
    error:
      'the container registry auth "ghcr" is used by the templates "a", "b"; change or delete them first',
    code: "in_use",
    status: 400,
  });
  for (const path of paths) {
    const { json } = await service.call("PATCH", path, { body: { containerRegistryAuthId: "" } });
    expect(json).not.toHaveProperty("containerRegistryAuthId");
  }
  expect((await service.call("DELETE", `${PATH}/${id}`)).status).toBe(204);
});
