/** Credentials of registries in REST v2, shared with REST v1. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { registryCredentials } from "../../../../../emulator/engine/resources/registry-credentials.ts";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { made, startTestHttp } from "../../http-harness.ts";

const path = "/live/v2/registries";
const order = { name: "ghcr", username: "ada", password: "s3cret-word" };

test("credentials are stored, listed without secrets, and deleted", async () => {
  await using service = await startTestHttp({
    engine: await createTestEngine(createMemoryStore()),
  });
  const { status, json, text } = await service.call("POST", path, { body: order });
  expect(status).toBe(201);
  const { id } = json as { readonly id: string };
  expect(json).toEqual({ id, name: "ghcr" });
  expect(text).not.toContain("s3cret");
  expect((await service.call("GET", `${path}/${id}`)).json).toEqual({ id, name: "ghcr" });
  expect((await service.call("GET", path)).json).toEqual({
    registries: [{ id, name: "ghcr" }],
    pagination: { nextCursor: null, hasNextPage: false },
  });
  expect((await service.call("GET", "/v1/containerregistryauth")).json).toEqual([
    { id, name: "ghcr" },
  ]);
  const { username, password } = order;
  expect(await registryCredentials(service.test.engine, id)).toEqual({ username, password });
  expect((await service.call("DELETE", `${path}/${id}`)).status).toBe(204);
  expect((await service.call("GET", `${path}/${id}`)).status).toBe(404);
});

test("a used name is a conflict", async () => {
  await using service = await startTestHttp();
  await made(service, path, order);
  const again = await service.call("POST", path, { body: order });
  expect(again).toMatchObject({ status: 409, json: { title: "Conflict" } });
});

test("validation errors are reported without showing a secret", async () => {
  await using service = await startTestHttp();
  const long = `word-${"x".repeat(20_000)}`;
  const refused = await service.call("POST", path, {
    body: { username: "", password: long, email: "a@b" },
  });
  expect(refused.status).toBe(422);
  expect((refused.json as { errors: string[] }).errors).toEqual([
    "$: missing property 'name'",
    "$.username: minLength: got 0, want 1",
    "$.password: maxLength: got 20005, want 16384",
    "$: additional properties 'email' not allowed",
  ]);
  expect(refused.text).not.toContain("word-");
});

test("a template loses deleted credentials, and its endpoints continue in their version", async () => {
  await using service = await startTestHttp();
  const id = await made(service, path, order);
  const template = await service.call("POST", "/v1/templates", {
    body: { name: "t", imageName: "an/image", isServerless: true, containerRegistryAuthId: id },
  });
  const templateId = (template.json as { readonly id: string }).id;
  const endpoint = await service.call("POST", "/v1/endpoints", { body: { templateId } });
  const of = endpoint.json as { readonly id: string; readonly version: number };
  const inFirst = await service.call("DELETE", `/v1/containerregistryauth/${id}`);
  expect(inFirst).toMatchObject({ status: 400, json: { code: "in_use" } });
  expect((await service.call("DELETE", `${path}/${id}`)).status).toBe(204);
  const left = await service.call("GET", `/v1/templates/${templateId}`);
  expect(left.json).not.toHaveProperty("containerRegistryAuthId");
  const after = await service.call("GET", `/v1/endpoints/${of.id}`);
  expect(after.json).toMatchObject({ version: of.version });
});

test("credentials of a pod are not deleted", async () => {
  await using service = await startTestHttp();
  const id = await made(service, path, order);
  const body = { imageName: "an/image", containerRegistryAuthId: id };
  await service.call("POST", "/v1/pods", { body });
  const refused = await service.call("DELETE", `${path}/${id}`);
  expect(refused).toMatchObject({ status: 400, json: { title: "Bad Request" } });
});

test("images are pulled with the sent credentials, and both API versions show the name", async () => {
  await using service = await startTestHttp({
    engine: await createTestEngine(createMemoryStore()),
  });
  const text = fc.string({ minLength: 1, maxLength: 100, unit: "grapheme" });
  const orders = fc.record({ name: text, username: text, password: text });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(orders, async ({ name: sent, ...credentials }) => {
      const name = `${sent} ${count++}`;
      const { json } = await service.call("POST", path, { body: { name, ...credentials } });
      const { id } = json as { readonly id: string };
      const first = await service.call("GET", `/v1/containerregistryauth/${id}`);
      expect([json, first.json]).toEqual([
        { id, name },
        { id, name },
      ]);
      expect(await registryCredentials(service.test.engine, id)).toEqual(credentials);
    }),
    { numRuns: 30 },
  );
});
