/** What the live service manages by GraphQL is refused with where it can be done. */
import { expect, test } from "vitest";
import { KEY, startTestHttp, type TestHttp } from "../http-harness.ts";

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
