/** What the live service manages by GraphQL and by the second version of REST is refused with where it can be done. */
import { expect, test } from "vitest";
import { KEY, startTestHttp, type TestHttp } from "../http-harness.ts";
import { storeEndpoint } from "../../stored-records.ts";

const NO_KEY = { authorization: "" };
const WRONG_KEY = { authorization: "Bearer wrong" };

/** Sends by itself: no document of the interface shows what is not there. */
async function send(
  { url }: TestHttp,
  method: string,
  path: string,
  { body, headers }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${url}/live${path}`, {
    method,
    headers: { authorization: KEY, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json: unknown = await answer.json();
  return { status: answer.status, type: answer.headers.get("content-type"), json };
}

/** The message that clients of GraphQL show. */
function messageOf({ status, json }: { readonly status: number; readonly json: unknown }): string {
  expect(status).toBe(200);
  const { errors, data } = json as { readonly errors: { message: string }[]; readonly data: null };
  expect(data).toBeNull();
  return errors[0]?.message ?? "";
}

test.each([
  ["query { myself { id pods { id } } }", "myself.pods", "GET /live/v1/pods does"],
  [
    'mutation { podStop(input: {podId: "x{\\"y"}) { id } }',
    "podStop",
    "POST /live/v1/pods/{podId}/stop does",
  ],
  [
    "# { gone }\nmutation Save($input: EndpointInput!) {\n  saved: saveEndpoint(input: $input) { id, name }\n}",
    "saveEndpoint",
    "POST /live/v1/endpoints or PATCH /live/v1/endpoints/{endpointId} does",
  ],
  ["{ gpuTypes { id } }", "gpuTypes", "nothing below /live/v1 does"],
  ["query { myself { id } }", "myself", "nothing below /live/v1 does"],
])("GraphQL answers %j with an error that names %s", async (query, field, instead) => {
  await using service = await startTestHttp();
  const message = messageOf(await send(service, "POST", "/graphql", { body: { query } }));
  expect(message).toContain(`GraphQL is not served here yet, so ${field} is not; ${instead}`);
});

test.each([{}, { query: 1 }, { query: "" }, [], "text"])(
  "GraphQL that cannot be read (%j) is answered in the same shape",
  async (body) => {
    await using service = await startTestHttp();
    const answer = await send(service, "POST", "/graphql", { body });
    expect(messageOf(answer)).toContain("GraphQL is not served here yet; ");
  },
);

test("GraphQL is asked with the key, with none as its public queries are, and never with a wrong one", async () => {
  await using service = await startTestHttp();
  const ask = (headers: Record<string, string>) =>
    send(service, "POST", "/graphql", { body: { query: "{ gpuTypes { id } }" }, headers });
  expect(messageOf(await ask(NO_KEY))).toContain("gpuTypes");
  expect((await ask(WRONG_KEY)).status).toBe(401);
  expect((await send(service, "GET", "/graphql")).status).toBe(405);
  expect((await service.call("POST", "/graphql", { body: {} })).status).toBe(404);
});

test.each([
  ["GET", "/v2/serverless", "GET /live/v1/endpoints does"],
  ["POST", "/v2/serverless", "POST /live/v1/templates and POST /live/v1/endpoints do"],
  ["PATCH", "/v2/serverless/echo", "PATCH /live/v1/endpoints/echo does"],
  ["GET", "/v2/serverless/echo/workers", "GET /live/v1/endpoints/echo?includeWorkers=true does"],
  ["DELETE", "/v2/pods/a", "DELETE /live/v1/pods/a does"],
  ["POST", "/v2/pods/a/action", "POST /live/v1/pods/a/start, /stop or /restart"],
  ["GET", "/v2/templates?limit=5", "GET /live/v1/templates does"],
  ["PATCH", "/v2/network-volumes/v", "PATCH /live/v1/networkvolumes/v does"],
  ["POST", "/v2/registries", "POST /live/v1/containerregistryauth does"],
  ["GET", "/v2/registries/delegations", "nothing below /live/v1 does"],
  ["GET", "/v2/catalog/gpus/NVIDIA%20L4", "nothing below /live/v1 does"],
  ["GET", "/v2/billing/serverless", "GET /live/v1/billing/endpoints does"],
  ["GET", "/v2/openapi.json", "GET /live/v1/openapi.json does"],
] as const)("%s %s is answered with a problem that says: %s", async (method, path, instead) => {
  await using service = await startTestHttp();
  const { status, json, type } = await send(service, method, path);
  expect(status).toBe(501);
  expect(type).toBe("application/problem+json");
  const [plain = ""] = path.split("?");
  expect(json).toEqual({
    title: "Not Implemented",
    status: 501,
    detail: expect.stringContaining(
      `${method} ${plain} is of the second version of REST, which is not served here yet; ${instead}`,
    ),
  });
});

test("the second version of REST wants the key as all else does", async () => {
  await using service = await startTestHttp();
  for (const headers of [NO_KEY, WRONG_KEY]) {
    const answer = await send(service, "GET", "/v2/pods", { headers });
    expect(answer.type).toBe("application/problem+json");
    expect(answer.json).toMatchObject({ title: "Unauthorized", status: 401 });
  }
});

test("jobs of an endpoint that has the name of such a resource are no matter of REST", async () => {
  await using service = await startTestHttp();
  const { engine } = service.test;
  await storeEndpoint(engine, { ...engine.directory.endpoint("echo"), id: "templates" });
  const { status } = await service.call("POST", "/live/v2/templates/run", { body: { input: {} } });
  expect(status).toBe(200);
  const unknown = await service.call("POST", "/live/v2/pods/run", { body: { input: {} } });
  expect(unknown).toMatchObject({ status: 404, json: { title: "Not Found" } });
  expect((await service.call("GET", "/v2/templates")).status).toBe(404);
  expect((await service.call("GET", "/live/v2/other/one")).status).toBe(404);
});
