/** A service as a client of the live service meets it: requests with that client's headers, answers read by its types. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { Playing } from "./playing.ts";
import { KEY, startTestHttp, type TestHttp } from "../http/http-harness.ts";

/** The headers of a client that a service is told apart by, but for the key. */
export type ClientHeaders = Readonly<Record<string, string>>;

export interface ClientService extends AsyncDisposable {
  readonly service: TestHttp;
  /**
   * Sends as the client does, to a path behind `/live`, and reads the answer: its body must be what `reads` says, and its
   * status `status` (default 200). That it is documented is checked as well.
   */
  readonly send: <Body>(request: ClientRequest<Body>) => Promise<Body>;
}

interface ClientRequest<Body> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Absent: none, and for POST a `Content-Length` of 0. */
  readonly body?: object;
  readonly status?: number;
  readonly reads: z.ZodType<Body>;
}

export async function startClientService(
  headers: ClientHeaders,
  playing: Playing,
): Promise<ClientService> {
  const service = await startTestHttp();
  return {
    service,
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
