/** A registry on this machine with one image of a shell: enough for a pull. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

export interface PullRegistry extends AsyncDisposable {
  /** Name of the image. Engines accept registries of this machine without TLS. */
  readonly image: string;
}

const TYPES = "application/vnd.docker";
const MANIFEST_TYPE = `${TYPES}.distribution.manifest.v2+json`;

export interface PullableOptions {
  /** Command of the shell. */
  readonly command: string;
  /** `user:password`: other requests are answered with 401. Default: no credentials are needed. */
  readonly credentials?: string;
  /** Additional size of the image. Default: 0. */
  readonly ballastBytes?: number;
}

export async function pullRegistry(options: PullableOptions): Promise<PullRegistry> {
  const { blobs, manifest } = imageOf(options);
  const { credentials } = options;
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = http.createServer(({ headers, url = "" }, response) => {
    if (wanted !== undefined && headers.authorization !== wanted) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="r"' }).end();
      return;
    }
    const [, kind, name = ""] = /\/(manifests|blobs)\/(.+)$/u.exec(url) ?? [];
    const bytes = kind === "manifests" ? Buffer.from(manifest) : blobs.get(name);
    if (kind !== undefined && bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("content-length", bytes?.length ?? 0);
    if (kind === "manifests") response.setHeader("content-type", MANIFEST_TYPE);
    response.end(bytes);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    image: `127.0.0.1:${port}/private/shell:1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface PullableImage {
  readonly manifest: string;
  /** Blobs by digest. */
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** An image of one layer: a shell that runs the command. */
function imageOf({ command, ballastBytes = 0 }: PullableOptions): PullableImage {
  const tar = shellLayer(ballastBytes);
  // Not compressed, so that the pull has progress to report.
  const layer = gzipSync(tar, { level: 0 });
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      config: { Cmd: ["/bin/sh", "-c", command] },
      rootfs: { type: "layers", diff_ids: [digestOf(tar)] },
    }),
  );
  const part = (mediaType: string, bytes: Buffer) => ({
    mediaType: `${TYPES}.${mediaType}`,
    size: bytes.length,
    digest: digestOf(bytes),
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: part("container.image.v1+json", config),
    layers: [part("image.rootfs.diff.tar.gzip", layer)],
  });
  return { manifest, blobs: new Map([config, layer].map((bytes) => [digestOf(bytes), bytes])) };
}

function shellLayer(ballastBytes: number): Buffer {
  using temporary = temporaryDirectory();
  const bin = path.join(temporary.path, "bin");
  fs.mkdirSync(bin);
  const busybox = execFileSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).trim();
  fs.copyFileSync(busybox, path.join(bin, "sh"));
  fs.writeFileSync(path.join(bin, "ballast"), Buffer.alloc(ballastBytes, 1));
  const args = ["-C", temporary.path, "--owner=0", "--group=0", "-cf", "-", "bin"];
  return execFileSync("tar", args, { maxBuffer: 64_000_000 });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
