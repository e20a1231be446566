/** A redis-server of the benchmark's own: on a unix socket, with an append-only file. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { endProcess, watchOver } from "../processes.ts";

const START_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 20;

/** When the file is synced: on every write, or every second, when a crash may lose the last second. */
export type AppendFsync = "always" | "everysec";

export interface RedisServer extends AsyncDisposable {
  readonly socket: string;
  readonly pid: number;
}

/**
 * Keeps its files in `folder`, on the disk of the emulator's data directory. @throws Error with the remedy if there is no
 * redis-server
 */
export async function startRedis(folder: string, appendfsync: AppendFsync): Promise<RedisServer> {
  const directory = path.join(folder, `redis-${appendfsync}`);
  const socket = path.join(directory, "redis.sock");
  fs.mkdirSync(directory);
  const settings = { port: "0", unixsocket: socket, dir: directory, save: "" };
  const durability = { appendonly: "yes", appendfsync };
  const words = Object.entries({ ...settings, ...durability }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const child = spawn("redis-server", words, { stdio: "ignore" });
  watchOver(child);
  const ended = new Promise<string>((resolve) => {
    child.once("error", () => resolve("there is no redis-server in PATH"));
    child.once("exit", () => resolve("redis-server ended at its start"));
  });
  const problem = await Promise.race([ended, socketThere(socket)]);
  if (problem !== undefined) {
    throw new Error(`${problem}; on Debian: apt-get install redis-server`);
  }
  return { socket, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => endProcess(child) };
}

/** The problem, if the socket does not appear. */
async function socketThere(socket: string): Promise<string | undefined> {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (!fs.existsSync(socket)) {
    if (performance.now() > giveUpAt) return "redis-server opened no socket within 5 s";
    await wait(LOOK_EVERY_MS);
  }
  return undefined;
}
