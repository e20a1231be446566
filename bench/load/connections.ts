/** Keep-alive connections of the load client: one per request in flight, so that none waits for another. */
import { Client, type Dispatcher } from "undici";

/** The request, always the same. */
export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const connections = new Map<string, Client[]>();

/** Connections that stay open between measurements, so that no measurement includes their opening. */
export function connectionsTo(origin: string, count: number): readonly Client[] {
  const open = connections.get(origin) ?? [];
  while (open.length < count) {
    open.push(new Client(origin, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 }));
  }
  connections.set(origin, open);
  return open.slice(0, count);
}

export async function closeConnections(origin: string): Promise<void> {
  const open = connections.get(origin) ?? [];
  connections.delete(origin);
  await Promise.all(open.map((client) => client.destroy()));
}

/**
 * Sends a request and returns the answer's body, in the cheapest way of undici.
 *
 * @throws Error on any status but 200
 */
export async function send(client: Client, request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let status = 0;
    const parts: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_, statusCode) => {
        status = statusCode;
      },
      onResponseData: (_, part) => {
        parts.push(part);
      },
      onResponseEnd: () => {
        const [first = Buffer.alloc(0)] = parts;
        const body = parts.length > 1 ? Buffer.concat(parts) : first;
        if (status === 200) resolve(body);
        else reject(new Error(`${request.path} answered ${status}: ${body.toString()}`));
      },
      onResponseError: (_, error) => reject(error),
    };
    client.dispatch({ ...request, headers: { ...request.headers } }, handler);
  });
}
