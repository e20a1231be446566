/** One PostgreSQL for all files of a test run; each file has databases of its own. */
import fs from "node:fs";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";
import { askFor, sharePart } from "./shared-part.ts";
import { IS_FULL } from "./size.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket that returns the server's address. */
    readonly sharedPostgres: string;
  }
}

/** A file system in memory, if the system has one: a new database takes a sixth of the CPU time there. */
const SHARED_MEMORY = "/dev/shm";

/** Size: more than all databases of a run need together. */
const ROOM_BYTES = 4 * 1024 ** 3;

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = roomInMemory();
  const { door, end } = await sharePart(
    () => startPostgres([], home),
    (postgres) => postgres.url(),
  );
  project.provide("sharedPostgres", door);
  return async () => {
    await end();
    if (home !== undefined) fs.rmSync(home, { recursive: true, force: true });
  };
}

/** Undefined if memory is scarce, and in a full run, which must wait for a disk. */
function roomInMemory(): string | undefined {
  if (IS_FULL || !fs.existsSync(SHARED_MEMORY)) return undefined;
  const { bavail, bsize } = fs.statfsSync(SHARED_MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) < ROOM_BYTES) return undefined;
  const home = fs.mkdtempSync(`${SHARED_MEMORY}/sv-test-`);
  // The server runs as another user, who owns the files.
  fs.chmodSync(home, 0o755);
  return home;
}

/**
 * The address of a new database on the server behind the socket `door`.
 * @throws Error with the server's output
 */
export async function freshDatabase(door: string): Promise<string> {
  const server = await askFor(door);
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
