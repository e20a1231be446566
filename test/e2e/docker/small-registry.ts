/** A registry on this machine for pushes only: it keeps sizes and names. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface SmallRegistry extends AsyncDisposable {
  /** `host:port` at the beginning of image names. */
  readonly address: string;
  /** `name:tag` of each complete image. */
  readonly pushed: readonly string[];
  /** Bytes of all requests. */
  readonly receivedBytes: () => number;
}

/** The accepted credentials. Default: all. */
interface Guest {
  readonly username: string;
  readonly password: string;
}

export async function smallRegistry(guest?: Guest): Promise<SmallRegistry> {
  const basic = guest && Buffer.from(`${guest.username}:${guest.password}`).toString("base64");
  const kept = new Kept();
  let receivedBytes = 0;
  const server = http.createServer((request, response) => {
    let sizeBytes = 0;
    request.on("data", ({ length }: Buffer) => (receivedBytes += length));
    const hash = createHash("sha256");
    request.on("data", (piece: Buffer) => {
      sizeBytes += piece.length;
      hash.update(piece);
    });
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://registry");
      const isStranger = basic !== undefined && request.headers.authorization !== `Basic ${basic}`;
      const { status, headers } = isStranger
        ? REFUSAL
        : kept.answer(request.method ?? "", url, sizeBytes, `sha256:${hash.digest("hex")}`);
      response.writeHead(status, headers).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushed: kept.pushed,
    receivedBytes: () => receivedBytes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const REFUSAL: Answer = { status: 401, headers: { "www-authenticate": 'Basic realm="r"' } };
const UPLOADS = "uploads/";

class Kept {
  readonly pushed: string[] = [];
  /** Sizes by upload, and by digest when the upload is complete. */
  readonly #sizes = new Map<string, number>();
  #uploads = 0;

  answer(method: string, url: URL, sizeBytes: number, bodyDigest: string): Answer {
    const [, name = "", kind, id = ""] =
      /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/u.exec(url.pathname) ?? [];
    if (name === "") return { status: 200 };
    if (method === "HEAD" || method === "GET") return this.#stored(id);
    if (kind === "manifests") {
      this.pushed.push(`${name}:${id}`);
      return { status: 201, headers: { "docker-content-digest": bodyDigest } };
    }
    const upload = method === "POST" ? `${UPLOADS}${++this.#uploads}` : id;
    const soFar = (this.#sizes.get(upload) ?? 0) + sizeBytes;
    const digest = url.searchParams.get("digest");
    this.#sizes.set(digest ?? upload, soFar);
    if (digest !== null) return { status: 201, headers: { "docker-content-digest": digest } };
    const range = `0-${Math.max(0, soFar - 1)}`;
    return { status: 202, headers: { location: `/v2/${name}/blobs/${upload}`, range } };
  }

  #stored(digest: string): Answer {
    const sizeBytes = this.#sizes.get(digest);
    if (sizeBytes === undefined) return { status: 404 };
    const headers = { "content-length": String(sizeBytes), "docker-content-digest": digest };
    return { status: 200, headers };
  }
}
