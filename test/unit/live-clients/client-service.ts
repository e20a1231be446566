/**
 * A service as a client of the live service sees it: requests with that client's headers, answers read by its
 * types.
 */
import assert from "node:assert/strict";
import { z } from "zod";
import { send as sendGraphql, shownMessage } from "../http/management/graphql/graphql-harness.ts";
import { KEY, startTestHttp, type TestHttp } from "../http/http-harness.ts";
import type { Playing } from "./playing.ts";

/** Headers of a client that vary between services, without the key. */
export type ClientHeaders = Readonly<Record<string, string>>;

export interface ClientService extends AsyncDisposable {
  readonly service: TestHttp;
  /**
   * Sends a request like the client to a path below `/live`, and reads the answer: its body must match `reads`,
   * and its status must be `status` (default 200). Also checks that the answer is documented.
   */
  readonly send: <Body>(request: ClientRequest<Body>) => Promise<Body>;
  /** Sends a GraphQL document: its answer must have no errors, not even an empty list, and data that matches `reads`. */
  readonly ask: <Data>(request: GraphqlRequest<Data>) => Promise<Data>;
  /** The text that the client shows when GraphQL refuses a request. */
  readonly refused: (request: Omit<GraphqlRequest<unknown>, "reads">) => Promise<string>;
}

/** Headers of clients in Go. */
export const GO: ClientHeaders = {
  "user-agent": "Go-http-client/1.1",
  "content-type": "application/json",
  "accept-encoding": "gzip",
};

/** Headers of clients in Python. */
export const PYTHON: ClientHeaders = {
  "user-agent": "RunPod-Python-SDK/1.12.0 (Linux 6.8; x86_64) Language/Python 3.12.3",
  "content-type": "application/json",
  "accept-encoding": "gzip, deflate",
  accept: "*/*",
};

/** Headers of a client without a key. */
export const NO_KEY = { authorization: "" };

type Word<Names extends string> = Names extends `${infer First} ${infer Rest}`
  ? First | Word<Rest>
  : Names;

/** Fields of one type, whose names have spaces between them. */
export function fields<Type, Names extends string>(type: Type, names: Names) {
  const each = names.split(" ").map((name) => [name, type]);
  return Object.fromEntries(each) as Record<Word<Names>, Type>;
}

/** All fields of a type, as the GraphQL selection of a client that decodes exactly what it asks for. */
export function selection(type: unknown): string {
  if (type instanceof z.ZodNullable) return selection(type.unwrap());
  if (type instanceof z.ZodArray) return selection(type.element);
  if (!(type instanceof z.ZodObject)) return "";
  const each = Object.entries(type.shape).map(([name, field]) => `${name} ${selection(field)}`);
  return `{ ${each.join(" ")} }`;
}

interface GraphqlRequest<Data> {
  readonly query: string;
  /** Variables as the client sends them; some clients send null or an empty object for none. */
  readonly variables?: unknown;
  readonly headers?: ClientHeaders;
  readonly reads: z.ZodType<Data>;
}

interface ClientRequest<Body> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Body; absent: no body, and for POST a `Content-Length` of 0. */
  readonly body?: object;
  readonly status?: number;
  readonly reads: z.ZodType<Body>;
}

export async function startClientService(
  headers: ClientHeaders,
  playing: Playing,
): Promise<ClientService> {
  const service = await startTestHttp();
  const post = (request: Omit<GraphqlRequest<unknown>, "reads">) => {
    const { query, variables } = request;
    const all = { ...headers, ...request.headers };
    const { authorization, ...others } = { authorization: `Bearer ${KEY}`, ...all };
    return sendGraphql(service, JSON.stringify({ query, variables }), {
      key: "",
      headers: { ...others, ...(authorization !== "" && { authorization }) },
    });
  };
  return {
    service,
    async ask({ reads, ...request }) {
      playing.noteQuery(request.query);
      const { status, json } = await post(request);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ["data"], JSON.stringify(json));
      const read = reads.safeParse(json.data);
      assert.ok(read.success, `it answered ${JSON.stringify(json)}: ${read.error?.message}`);
      return read.data;
    },
    refused: async (request) => shownMessage(await post(request)),
    async send({ method, path, body, status = 200, reads }) {
      playing.note({ method, path });
      const answer = await service.call(method, `/live${path}`, {
        body: body ?? (method === "GET" || method === "DELETE" ? undefined : ""),
        headers: { authorization: `Bearer ${KEY}`, ...headers },
      });
      assert.equal(answer.status, status, `${method} ${path} answered ${answer.text}`);
      const read = reads.safeParse(answer.json);
      assert.ok(read.success, `${method} ${path} answered ${answer.text}: ${read.error?.message}`);
      return read.data;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
