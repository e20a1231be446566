/** A real PostgreSQL for tests: Debian's, in its own folder, as a user who is not root. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { whatIsMissing } from "./debian-program.ts";
import { freePort } from "./free-port.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { LOOK_MS } from "./patience.ts";
import { endingWithParent } from "./ends-with-parent.ts";

/** Reason that tests with PostgreSQL are left out here; undefined if they run. Under CI they are never left out. */
export const postgresIsMissing: string | undefined = whatIsMissing("tests with PostgreSQL", [
  "postgres",
  "createdb",
  "pg_basebackup",
  "psql",
]);

const run = promisify(execFile);

/** Settings of a real server: it acknowledges nothing before it is on the disk. */
const SETTINGS = [
  ...["fsync=on", "synchronous_commit=on", "max_connections=100", "shared_buffers=64MB"],
  ...["listen_addresses=127.0.0.1", "unix_socket_directories=", "logging_collector=off"],
];

/** A cluster; disposing of it stops and removes it. */
export interface Postgres extends AsyncDisposable {
  /** The address of a database in it, which need not exist. */
  url(database?: string): string;
  /** Ends the server at once without finishing anything (`SIGQUIT`), or in order (`SIGINT`). */
  stop(signal?: "SIGQUIT" | "SIGINT"): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** The folder of its data. */
  readonly data: string;
  /** Id of its first process, the parent of all others; undefined while it does not run. */
  pid(): number | undefined;
  /** Its output so far. */
  said(): string;
  /** Another server that streams a copy of this one by `pg_basebackup`, and is read-only until it is promoted. */
  standby(): Promise<Postgres>;
  /** Restarts it as read-only. */
  demote(): Promise<void>;
}

/**
 * @param dataIn folder of its data; default: its own
 * @param env further environment variables of the server
 */
export async function startPostgres(
  settings: readonly string[] = [],
  dataIn?: string,
  env?: Readonly<Record<string, string>>,
): Promise<Postgres> {
  const init = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N", "-k"];
  return startCluster("initdb", init, settings, { dataIn, env });
}

/** @param maker the program that fills the folder of its data */
async function startCluster(
  maker: "initdb" | "pg_basebackup",
  args: readonly string[],
  settings: readonly string[],
  { dataIn, env }: { readonly dataIn?: string | undefined; readonly env?: Env | undefined } = {},
): Promise<Postgres> {
  const home = temporaryDirectory();
  const bin = fs.globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1) ?? "";
  const data = path.join(dataIn ?? home.path, "data");
  const user = ordinaryUser();
  fs.mkdirSync(data, { mode: 0o700 });
  if (user !== undefined)
    for (const owned of [home.path, data]) fs.chownSync(owned, user.uid, user.gid);
  await run(path.join(bin, maker), ["-D", data, ...args], { ...user, cwd: home.path });
  const port = await freePort();
  const given = [...SETTINGS, ...settings, `port=${port}`].flatMap((setting) => ["-c", setting]);
  const server = new Server([path.join(bin, "postgres"), "-D", data, ...given], user, env);
  const url = (database = "postgres") => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const start = async () => {
    server.start();
    await listens(url(), server);
  };
  const made: Postgres = {
    url,
    data,
    start,
    stop: (signal = "SIGINT") => server.stop(signal),
    pid: () => server.pid,
    said: () => server.said,
    standby() {
      const copied = ["-d", url(), "-R", "-X", "stream", "-c", "fast", "-N"];
      return startCluster("pg_basebackup", copied, settings);
    },
    async demote() {
      await server.stop("SIGINT");
      fs.writeFileSync(path.join(data, "standby.signal"), "");
      await start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop("SIGQUIT");
      // Removes thousands of files asynchronously: on a busy disk this takes seconds.
      await fs.promises.rm(data, { recursive: true, force: true });
      home[Symbol.dispose]();
    },
  };
  try {
    await start();
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw error;
  }
  return made;
}

type Env = Readonly<Record<string, string>>;

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The user that its package created, because root may not run it. Undefined if this process is not root. */
function ordinaryUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = fs.statSync("/var/lib/postgresql");
  return { uid, gid };
}

class Server {
  readonly #command: readonly [string, ...string[]];
  readonly #user: User | undefined;
  readonly #env: Env | undefined;
  #child: ChildProcess | undefined;
  said = "";

  constructor(
    command: readonly [string, ...string[]],
    user: User | undefined,
    env: Env | undefined,
  ) {
    this.#command = command;
    this.#user = user;
    this.#env = env;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get hasEnded(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null;
  }

  start(): void {
    const [command, ...args] = endingWithParent("SIGQUIT", this.#command);
    const child = spawn(command, args, {
      ...this.#user,
      ...(this.#env && { env: { ...process.env, ...this.#env } }),
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => (this.said += piece.toString()));
    this.#child = child;
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}

/** Polls until the server accepts connections: no event announces that. */
async function listens(url: string, server: Server): Promise<void> {
  const until = performance.now() + LOOK_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.hasEnded || performance.now() > until)
        throw new Error(`PostgreSQL did not come up:\n${server.said}`, { cause: error });
    }
    await wait(20);
  }
}
