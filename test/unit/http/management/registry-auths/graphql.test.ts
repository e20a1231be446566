/** Container registry auths in GraphQL, which never shows their credentials. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { dataOf, messageOf } from "../graphql/graphql-harness.ts";

const SAVE =
  'mutation { saveRegistryAuth(input: {name: "hub", username: "ada", password: "one"}) { id name } }';

async function save(service: TestHttp): Promise<string> {
  const { saveRegistryAuth } = await dataOf(service, SAVE);
  expect(saveRegistryAuth).toEqual({ id: expect.stringMatching(/^cl[a-z0-9]{23}$/u), name: "hub" });
  return (saveRegistryAuth as { id: string }).id;
}

it("a registry auth is saved, updated with other credentials, and deleted", async () => {
  await using service = await startTestHttp();
  const id = await save(service);
  expect((await service.call("GET", "/v1/containerregistryauth")).json).toEqual([
    { id, name: "hub" },
  ]);
  const { sealed } = service.test.engine.steps.records.find("registryAuth", id) ?? {};
  const update = `mutation UpdateRegistryAuth {
    updateRegistryAuth(input: {id: "${id}", username: "ada", password: "two"}) { id name } }`;
  expect(await dataOf(service, update)).toEqual({ updateRegistryAuth: { id, name: "hub" } });
  expect(service.test.engine.steps.records.find("registryAuth", id)?.sealed).not.toEqual(sealed);
  const remove = `mutation { deleteRegistryAuth(registryAuthId: "${id}") }`;
  expect(await dataOf(service, remove)).toEqual({ deleteRegistryAuth: null });
  expect(await messageOf(service, remove)).toContain("there is no container registry auth");
  expect(await messageOf(service, update)).toContain("there is no container registry auth");
});

it("a registry auth without a required field is refused, without showing a secret", async () => {
  await using service = await startTestHttp();
  await save(service);
  expect(await messageOf(service, SAVE)).toContain('already a container registry auth named "hub"');
  const input = `{name: "other", username: "", password: "${"p".repeat(20_000)}"}`;
  const refused = await messageOf(service, `mutation { saveRegistryAuth(input: ${input}) { id } }`);
  expect(refused).toContain("username is required");
  expect(refused).not.toContain("ppp");
  expect(JSON.stringify(service.test.logged)).not.toContain("ppp");
});
