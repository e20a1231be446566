/** One PostgreSQL for all files of a test run; each file has databases of its own. */
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";
import { askFor, sharePart } from "./shared-part.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket that returns the server's address. */
    readonly sharedPostgres: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { door, end } = await sharePart(startPostgres, (postgres) => postgres.url());
  project.provide("sharedPostgres", door);
  return end;
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
