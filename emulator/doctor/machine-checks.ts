/** Checks of this machine: Node, the port of the service, the disk of the data directory, shared memory. Reads only. */
import { once } from "node:events";
import fs from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { type Finding, sizeInWords } from "./check.ts";
import { listenerAt } from "./listener-at.ts";

/** Minimum of Node, as in `engines` of package.json. */
const NODE_MIN = [24, 15] as const;

const MB = 1024 ** 2;

/** Minimum free space of the data directory's disk. */
const DISK_MIN_BYTES = 1024 * MB;

/** Minimum of /dev/shm for loaders of data. Containers have 64 MB by default. */
const SHM_MIN_BYTES = 256 * MB;

/** Timeout of the program that listens at the port of the service. */
const ASK_MS = 2_000;

export function nodeCheck(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needMajor, needMinor] = NODE_MIN;
  const isGood = major > needMajor || (major === needMajor && minor >= needMinor);
  return {
    ...{ name: "Node", isGood, found: version, neededFor: [] },
    cure: `install Node ${NODE_MIN.join(".")} or newer`,
  };
}

/** Whether the service can listen, and if not, who does. */
export async function portCheck(host: string, port: number): Promise<Finding> {
  const about = { name: `port ${port}`, neededFor: [] };
  const server = net.createServer();
  try {
    await once(server.listen({ host, port }), "listening");
    return { ...about, isGood: true, found: `free at ${host}` };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code !== "EADDRINUSE")
      return { ...about, isGood: false, found: `cannot be opened at ${host}: ${code}` };
    const by = await listenerAt(port);
    const taken = by === undefined ? "taken" : `taken by process ${by.pid} (${by.command})`;
    if (await isOurs(host, port))
      return { ...about, isGood: true, found: `${taken}: a service of sv-runtime answers there` };
    const cure = "end that program, or give another port: --port, or SV_PORT";
    return { ...about, isGood: false, found: taken, cure };
  } finally {
    server.close();
  }
}

async function isOurs(host: string, port: number): Promise<boolean> {
  const url = `http://${net.isIPv6(host) ? `[${host}]` : host}:${port}/livez`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_MS) });
    const body: unknown = await answer.json();
    return typeof body === "object" && body !== null && "alive" in body;
  } catch {
    return false;
  }
}

/** Whether the data directory, or the directory that it will be made in, can be written, and has room. */
export async function dataDirectoryCheck(directory: string): Promise<Finding> {
  const about = { name: "data directory", neededFor: [] };
  const place = await existing(directory);
  const cure = "give another one with --data-dir, or make room there";
  try {
    await fs.access(place, fs.constants.W_OK);
  } catch {
    return { ...about, isGood: false, found: `${place} cannot be written`, cure };
  }
  const free = await freeBytes(place);
  const found = `${directory}: ${sizeInWords(free)} free`;
  return { ...about, isGood: free >= DISK_MIN_BYTES, found, cure };
}

/** Undefined on systems without /dev/shm. */
export async function sharedMemoryCheck(directory = "/dev/shm"): Promise<Finding | undefined> {
  try {
    const { blocks, bsize } = await fs.statfs(directory);
    const bytes = blocks * bsize;
    return {
      ...{ name: directory, isGood: bytes >= SHM_MIN_BYTES, found: sizeInWords(bytes) },
      cure: "if this is a container, start it with --shm-size=1g. Containers of workers have SV_CONTAINER_SHM",
    };
  } catch {
    return undefined;
  }
}

export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await fs.statfs(directory);
  return bavail * bsize;
}

async function existing(directory: string): Promise<string> {
  try {
    await fs.access(directory);
    return directory;
  } catch {
    const parent = path.dirname(directory);
    return parent === directory ? directory : existing(parent);
  }
}
