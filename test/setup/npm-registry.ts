/**
 * A registry of npm packages for tests: it has this packed project, and fetches all others from npm's own registry
 * setting.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PROBE_MS = 20_000;

/** Address of packages on this machine, without a slash at the end. */
const upstream = execFileSync("npm", ["config", "get", "registry"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
})
  .trim()
  .replace(/\/$/u, "");

/**
 * Reason that tests that install packages are left out here; undefined if they run. Under CI they are never left
 * out.
 * @throws Error under CI, if no registry answers
 */
export async function whatIsMissingOfNpm(tests: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const answers = await fetch(`${upstream}/zod/latest`, { signal }).then(
    async (response) => (await response.body?.cancel(), response.ok),
    () => false,
  );
  if (answers) return undefined;
  const reason = `the npm registry ${upstream} does not answer`;
  if (process.env["CI"] === "true") throw new Error(reason);
  console.warn(`${tests} are left out: ${reason}`);
  return reason;
}

export interface NpmRegistry extends AsyncDisposable {
  /** Opens it at an address of this machine; resolves with its URL there. */
  listen(host: string): Promise<string>;
}

/**
 * @param archive the result of `npm pack` for this project
 * @param token without which it gives out nothing. Default: everybody gets everything
 */
export function npmRegistry(archive: string, token?: string): NpmRegistry {
  const content = fs.readFileSync(archive);
  const unpack = ["-xzOf", archive, "package/package.json"];
  const manifest = JSON.parse(execFileSync("tar", unpack, { encoding: "utf8" })) as {
    readonly name: string;
    readonly version: string;
  };
  const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  const archivePath = `/${manifest.name}/-/packed.tgz`;
  const ownPackage = (base: string) => ({
    name: manifest.name,
    "dist-tags": { latest: manifest.version },
    versions: {
      [manifest.version]: { ...manifest, dist: { tarball: base + archivePath, integrity } },
    },
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const base = `http://${request.headers.host}`;
    const isStranger = token !== undefined && request.headers.authorization !== `Bearer ${token}`;
    if (isStranger) response.writeHead(401).end("{}");
    else if (request.url === archivePath) response.end(content);
    else if (request.url === `/${manifest.name}`) response.end(JSON.stringify(ownPackage(base)));
    else await passOn(request, response, base);
  };
  const servers: Server[] = [];
  return {
    async listen(host) {
      const server = createServer((request, response) => {
        answer(request, response).catch((error: unknown) => {
          if (response.headersSent) response.destroy();
          else response.writeHead(502).end(String(error));
        });
      });
      servers.push(server);
      server.listen(0, host);
      await once(server, "listening");
      return `http://${host}:${(server.address() as AddressInfo).port}`;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

/** Package addresses point here: a client may reach nothing else. */
async function passOn(
  { url = "/", headers: { accept } }: IncomingMessage,
  response: ServerResponse,
  base: string,
): Promise<void> {
  const found = await fetch(upstream + url, { headers: accept === undefined ? {} : { accept } });
  const type = found.headers.get("content-type") ?? "application/octet-stream";
  response.writeHead(found.status, { "content-type": type });
  if (type.includes("json")) response.end((await found.text()).replaceAll(upstream, base));
  else response.end(await found.bytes());
}
