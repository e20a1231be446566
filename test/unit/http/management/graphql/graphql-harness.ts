/** Sends GraphQL to a service like any client, and reads the answers. */
import assert from "node:assert/strict";
import { KEY } from "../../http-harness.ts";

export interface AskOptions {
  readonly variables?: unknown;
  /** Key, sent as `Bearer`; "" for none. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Query after the path, with its question mark. */
  readonly search?: string;
  readonly operationName?: string;
}

export interface GraphqlAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly json: { readonly data?: unknown; readonly errors?: readonly { message: string }[] };
}

export async function ask(
  service: { readonly url: string },
  query: unknown,
  { variables, operationName, ...options }: AskOptions = {},
): Promise<GraphqlAnswer> {
  return send(service, JSON.stringify({ query, variables, operationName }), options);
}

/** Sends that body as it is. */
export async function send(
  { url }: { readonly url: string },
  body: string,
  { key = KEY, headers, search = "" }: Omit<AskOptions, "variables"> = {},
): Promise<GraphqlAnswer> {
  const answer = await fetch(`${url}/live/graphql${search}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
  });
  const json = (await answer.json()) as GraphqlAnswer["json"];
  return { status: answer.status, type: answer.headers.get("content-type"), json };
}

/** The data of an answer without errors, not even an empty list. */
export async function dataOf(
  ...asked: Parameters<typeof ask>
): Promise<Readonly<Record<string, unknown>>> {
  const { status, json } = await ask(...asked);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ["data"], JSON.stringify(json.errors));
  return json.data as Record<string, unknown>;
}

/** The message that clients show of a refusal. */
export async function messageOf(...asked: Parameters<typeof ask>): Promise<string> {
  return shownMessage(await ask(...asked));
}

export function shownMessage({ status, json }: GraphqlAnswer): string {
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ["errors", "data"]);
  assert.equal(json.data, null);
  const [first] = json.errors ?? [];
  assert.deepEqual(Object.keys(first ?? {}), ["message"]);
  return first?.message ?? "";
}
