/** A loopback service with a script: the next request, and its answer. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import {
  createClient,
  type ClientOptions,
  type EndpointClient,
} from "../../../runtime/client/index.ts";
import { TestClock } from "./test-clock.ts";

const API_KEY = "test-key";

/** One expected request and its answer. */
export interface Step {
  /** Method, path and query, exactly. */
  readonly request: string;
  /** Required headers, besides the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON body; absent: the request must have none. */
  readonly body?: unknown;
  readonly reply: (response: ServerResponse, request: IncomingMessage) => void;
}

export function json(
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Step["reply"] {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An error answer in the service's own shape. */
export function refusal(
  status: number,
  code: string,
  more: object = {},
  headers?: Record<string, string>,
): Step["reply"] {
  return json({ error: `Refused: ${code}.`, code, status, ...more }, status, headers);
}

/** A complete stream. */
export function lines(...values: readonly unknown[]): Step["reply"] {
  return (response) => response.writeHead(200, NDJSON).end(ndjson(values));
}

/** A stream that ends after `values` and `torn`, the beginning of a further line. */
export function droppedLines(values: readonly unknown[], torn = ""): Step["reply"] {
  return (response) => {
    response.writeHead(200, NDJSON).write(ndjson(values) + torn, () => response.socket?.end());
  };
}

/** Closes the connection without an answer. */
export const hangUp: Step["reply"] = (response) => void response.socket?.end();

const NDJSON = { "content-type": "application/x-ndjson" };

function ndjson(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

export interface Scene {
  readonly endpoint: EndpointClient;
  readonly clock: TestClock;
  readonly baseUrl: string;
  /** Number of played steps. */
  readonly played: () => number;
}

/**
 * Plays `steps` while `act` runs against them; fails when a request differs from its step, comes without one, or a step
 * is left over.
 */
export async function playing(
  steps: readonly Step[],
  act: (scene: Scene) => Promise<void>,
  options: ClientOptions & { readonly clock?: TestClock } = {},
): Promise<void> {
  const complaints: unknown[] = [];
  let played = 0;
  const server = createServer((request, response) => {
    const step = steps[played];
    played += 1;
    void compare(step, request)
      .then(() => step?.reply(response, request))
      .catch((error: unknown) => {
        complaints.push(error);
        response.writeHead(500).end("The script expected something else.");
      });
  });
  const baseUrl = await listen(server);
  const clock = options.clock ?? new TestClock();
  const client = createClient({ baseUrl, apiKey: API_KEY, random: () => 0, ...options, clock });
  try {
    await act({ endpoint: client.endpoint("my endpoint"), clock, baseUrl, played: () => played });
  } catch (error) {
    throw complaints[0] ?? error;
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
  expect(complaints).toEqual([]);
  expect(played, "requests that came").toBe(steps.length);
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null)
    throw new Error("The double has no address.");
  return `http://127.0.0.1:${address.port}`;
}

async function compare(step: Step | undefined, request: IncomingMessage): Promise<void> {
  const body = await text(request);
  const line = `${request.method} ${request.url}`;
  expect(line).toBe(step?.request);
  expect(request.headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, ...step?.headers });
  expect(body === "" ? undefined : JSON.parse(body)).toEqual(step?.body);
  const type = step?.body === undefined ? undefined : "application/json";
  expect(request.headers["content-type"]).toBe(type);
}
