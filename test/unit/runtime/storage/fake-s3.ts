/** A bucket over HTTP that fails as a test tells it to, and accepts every signature. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export type Operation = "put" | "create" | "part" | "complete" | "abort" | "get" | "head";

/** A fault: an answer, or the fate of the connection. */
export type Trouble =
  | { readonly status: number; readonly body?: string }
  /** The connection is cut after the first bytes of the request's body. */
  | "drops-the-request"
  /** The operation is done, and the connection is cut before its answer. */
  | "drops-the-answer"
  /** No answer ever comes. */
  | "hangs"
  /** The operation runs when this resolves. */
  | Promise<void>;

interface StoredHeaders {
  readonly contentType: string | undefined;
  readonly contentDisposition: string | undefined;
  readonly cacheControl: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface FakeObject extends StoredHeaders {
  readonly body: Buffer;
  readonly etag: string;
}

interface OpenMultipart extends StoredHeaders {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

export class FakeS3 implements AsyncDisposable {
  readonly objects = new Map<string, FakeObject>();
  /** Multipart uploads that are neither complete nor aborted. */
  readonly multiparts = new Map<string, OpenMultipart>();
  /** Every request that was begun, in order. */
  readonly seen: Operation[] = [];
  /** Maximum of requests that were open at a time. */
  mostAtOnce = 0;
  connections = 0;
  #open = 0;
  readonly #troubles = new Map<Operation, Trouble[]>();
  readonly #watchers: (() => void)[] = [];
  readonly #server = http.createServer((request, response) => {
    // A client may disconnect.
    this.#obey(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<FakeS3> {
    const fake = new FakeS3();
    fake.#server.on("connection", () => fake.connections++);
    fake.#server.listen(0, "127.0.0.1");
    await once(fake.#server, "listening");
    return fake;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** The next requests of this kind get these faults, one each. */
  trouble(operation: Operation, ...troubles: readonly Trouble[]): void {
    this.#troubles.set(operation, [...troubles]);
  }

  /** Resolves when this number of requests of this kind has begun. */
  async hasSeen(operation: Operation, count = 1): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.count(operation) >= count) resolve();
      };
      this.#watchers.push(look);
      look();
    });
  }

  count(operation: Operation): number {
    return this.seen.filter((each) => each === operation).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #obey(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.url);
    const operation = operationOf(request.method ?? "", url.searchParams);
    const trouble = this.#troubles.get(operation)?.shift();
    this.seen.push(operation);
    this.#open++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
    response.on("close", () => this.#open--);
    for (const look of this.#watchers) look();
    if (trouble === "hangs") return;
    if (trouble === "drops-the-request") {
      request.once("data", () => request.socket.destroy());
      return;
    }
    if (trouble instanceof Promise) await trouble;
    else if (typeof trouble === "object") {
      request.resume();
      response.writeHead(trouble.status).end(trouble.body);
      return;
    }
    const body = await buffer(request);
    const answer = this.#do(operation, url, request, body);
    if (trouble === "drops-the-answer") request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  #do(operation: Operation, url: URL, { headers }: http.IncomingMessage, body: Buffer): Answer {
    const [, key = ""] = /^\/[^/]+\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    const id = url.searchParams.get("uploadId") ?? "";
    const stored: StoredHeaders = {
      contentType: headers["content-type"],
      contentDisposition: headers["content-disposition"],
      cacheControl: headers["cache-control"],
      metadata: metadataOf(headers),
    };
    switch (operation) {
      case "put": {
        const etag = md5(body);
        this.objects.set(key, { body, ...stored, etag });
        return { status: 200, headers: { etag: `"${etag}"` } };
      }
      case "create": {
        const uploadId = randomUUID();
        this.multiparts.set(uploadId, { key, ...stored, parts: new Map() });
        return {
          status: 200,
          body: tag("InitiateMultipartUploadResult", tag("UploadId", uploadId)),
        };
      }
      case "part": {
        const open = this.multiparts.get(id);
        if (open === undefined) return refusal(404, "NoSuchUpload");
        open.parts.set(Number(url.searchParams.get("partNumber")), body);
        return { status: 200, headers: { etag: `"${md5(body)}"` } };
      }
      case "complete":
        return this.#complete(id, body);
      case "abort":
        return this.multiparts.delete(id) ? { status: 204 } : refusal(404, "NoSuchUpload");
      case "get":
      case "head":
        return this.#read(key);
    }
  }

  #complete(id: string, body: Buffer): Answer {
    const open = this.multiparts.get(id);
    if (open === undefined) return refusal(404, "NoSuchUpload");
    const named = [...String(body).matchAll(/<PartNumber>(\d+)</gu)].map(([, part]) =>
      Number(part),
    );
    if (named.some((part, at) => part !== at + 1)) return refusal(400, "InvalidPartOrder");
    const parts = [...open.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
    const { key, parts: _, ...stored } = open;
    const etag = multipartEtag(parts);
    this.multiparts.delete(id);
    this.objects.set(key, { body: Buffer.concat(parts), ...stored, etag });
    return { status: 200, body: tag("CompleteMultipartUploadResult", tag("ETag", `"${etag}"`)) };
  }

  #read(key: string): Answer {
    const found = this.objects.get(key);
    if (found === undefined) return refusal(404, "NoSuchKey");
    const { body, contentType = "application/octet-stream", etag } = found;
    return { status: 200, headers: { "content-type": contentType, etag: `"${etag}"` }, body };
  }
}

interface Answer {
  readonly status: number;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** An answer as S3 gives it. */
export function refusal(
  status: number,
  code: string,
  message = `This is ${code}.`,
): { readonly status: number; readonly body: string } {
  return { status, body: tag("Error", tag("Code", code) + tag("Message", message)) };
}

export function multipartEtag(parts: readonly Uint8Array[]): string {
  const digests = parts.map((part) => createHash("md5").update(part).digest());
  return `${createHash("md5").update(Buffer.concat(digests)).digest("hex")}-${parts.length}`;
}

function operationOf(method: string, query: URLSearchParams): Operation {
  if (method === "GET") return "get";
  if (method === "HEAD") return "head";
  if (method === "DELETE") return "abort";
  if (method === "PUT") return query.has("partNumber") ? "part" : "put";
  return query.has("uploads") ? "create" : "complete";
}

function metadataOf(headers: http.IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(11), String(value)]));
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

function md5(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}
