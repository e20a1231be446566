/** Starts the built `sv-emulate` with handlers of this folder, as a user would, and finds its processes. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { freePort } from "../test/setup/free-port.ts";
import { childPids, commandLine, endProcess, watchOver } from "./processes.ts";
import { submissionBody } from "./payload.ts";
import type { LoadClient, Subject } from "./load/load-client.ts";

const ownCheckout = path.resolve(import.meta.dirname, "..");
export const API_KEY = "bench-key";
const SECRET_KEY = Buffer.alloc(32).toString("base64");
const TAIL_CHARACTERS = 2000;

interface WorkerPids {
  readonly supervisor: number;
  readonly handler: number;
}

/** Process ids of an emulator that serves one handler with one worker. */
export interface EmulatorPids extends WorkerPids {
  readonly emulator: number;
}

type Submission = readonly [endpointId: string, operation: "run" | "runsync", body: string];

export interface EmulatorProcess extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly pid: number;
  /** The emulator's processes, with those of its first worker. @throws Error without /proc, and before there is a worker */
  pids(): EmulatorPids;
  /** The present processes of all its workers. */
  workers(): readonly WorkerPids[];
  /** Resolves when a new line of the log has this text. */
  logs(text: string): Promise<void>;
  /** A submission to an operation of an endpoint. */
  submission(...job: Submission): Subject;
}

export interface EmulatorPlace {
  /** Folder of a checkout with a built `sv-emulate`; default: this one. */
  readonly checkout?: string | undefined;
  /** Address of the database that is the store; default: the store is the data directory. */
  readonly store?: string | undefined;
  /** Whether other emulators may use the database too; default: no. */
  readonly isShared?: boolean;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface EmulatorStart extends EmulatorPlace {
  readonly dataDir: string;
  /** The targets of `sv-emulate`. */
  readonly targets: readonly string[];
}

/**
 * The built `sv-emulate` of a checkout.
 * @throws Error that names what is missing
 */
export function builtEmulator(checkout = ownCheckout): string {
  const program = path.join(checkout, "dist/emulator/cli/sv-emulate.js");
  if (fs.existsSync(program)) return program;
  if (!fs.existsSync(path.join(checkout, "package.json"))) {
    throw new Error(`${checkout} is no checkout of this project.`);
  }
  throw new Error(`${checkout} is not built: run npm run build there first.`);
}

/** An endpoint with workers of a handler in `bench/handlers/`. */
export interface ServedEndpoint {
  readonly handler: string;
  /** Fixed number of workers: 0 leaves its jobs in the queue. */
  readonly workers: 0 | 1;
  /** Added to the worker's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The file of a handler in `bench/handlers/`. */
export function handlerFile(name: string): string {
  return path.join(import.meta.dirname, `handlers/${name}.ts`);
}

/** Writes a config that serves the endpoints with a fixed number of workers. Returns its path. */
function writeConfig(folder: string, endpoints: Readonly<Record<string, ServedEndpoint>>): string {
  const file = path.join(folder, "sv.config.json");
  const settings = Object.entries(endpoints).map(
    ([id, { handler, workers, env = {} }]): [string, unknown] => [
      id,
      { handler: handlerFile(handler), workersMin: workers, workersMax: workers, env },
    ],
  );
  fs.writeFileSync(file, JSON.stringify({ endpoints: Object.fromEntries<unknown>(settings) }));
  return file;
}

/** An emulator with the data directory `data` in the folder that serves these endpoints. */
export async function startEmulatorFor(
  folder: string,
  endpoints: Readonly<Record<string, ServedEndpoint>>,
  place: EmulatorPlace = {},
): Promise<EmulatorProcess> {
  const targets = [writeConfig(folder, endpoints)];
  const dataDir = path.join(folder, "data");
  return startEmulatorProcess({ ...place, dataDir, targets });
}

/**
 * Resolves when the emulator reports that it is ready.
 *
 * @throws Error with the emulator's last lines if it ends instead
 */
export async function startEmulatorProcess(start: EmulatorStart): Promise<EmulatorProcess> {
  const { checkout, dataDir, store, targets, isShared = false, env } = start;
  const program = builtEmulator(checkout);
  const port = isShared ? await freePort() : 0;
  const advertised = isShared ? ["--advertise", `http://127.0.0.1:${port}`] : [];
  const common = ["--data-dir", dataDir, "--log", "json", "--limits", "off"];
  const options = ["--port", String(port), ...advertised, ...common];
  // A database as the store requires a given key for secrets.
  const sealed = store === undefined ? {} : { SV_STORE: store, SV_SECRET_KEY: SECRET_KEY };
  const child = spawn(process.execPath, [program, ...targets, ...options], {
    env: { ...process.env, SV_API_KEY: API_KEY, ...sealed, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  watchOver(child);
  const { pid } = child;
  const origin = await new Promise<string>((resolve, reject) => {
    let tail = "";
    const read = (text: string): void => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
      const ready = /ready (http:\/\/127\.0\.0\.1:\d+)/.exec(tail)?.[1];
      if (ready !== undefined) resolve(ready);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`sv-emulate ended with ${code}:\n${tail}`)));
  });
  if (pid === undefined) throw new Error("sv-emulate has no process id.");
  return {
    origin,
    pid,
    pids: () => pidsOf(pid),
    workers: () => workersOf(pid),
    logs: (text) => logged(child, text),
    submission: (...job) => submissionTo(origin, ...job),
    [Symbol.asyncDispose]: () => endProcess(child),
  };
}

/** Sends the same request to any server. */
export function submissionTo(
  origin: string,
  ...[endpointId, operation, body]: Submission
): Subject {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  return {
    origin,
    request: { method: "POST", path: `/v2/${endpointId}/${operation}`, headers, body },
  };
}

/** Resolves when a job that is submitted now is done. With one worker, all earlier jobs are then done too. */
export async function jobDone(
  client: LoadClient,
  emulator: EmulatorProcess,
  endpointId = "echo",
): Promise<void> {
  const last = emulator.submission(endpointId, "runsync", submissionBody);
  await client.load(last, { inFlight: 1, durationMs: 1 }, '"COMPLETED"');
}

function logged({ stderr }: { readonly stderr: Readable }, text: string): Promise<void> {
  return new Promise((resolve) => {
    let tail = "";
    const read = (more: string): void => {
      tail = (tail + more).slice(-TAIL_CHARACTERS);
      if (!tail.includes(text)) return;
      stderr.off("data", read);
      resolve();
    };
    stderr.on("data", read);
  });
}

function pidsOf(emulator: number): EmulatorPids {
  const [worker] = workersOf(emulator);
  if (worker === undefined)
    throw new Error("The emulator's worker processes were not found under /proc.");
  return { emulator, ...worker };
}

/** A supervisor is the emulator's child, its handler process the supervisor's. */
function workersOf(emulator: number): WorkerPids[] {
  const supervisors = childPids(emulator).filter((pid) => commandLine(pid).includes("sv-worker"));
  return supervisors.flatMap((supervisor) => {
    // The oldest child is the handler process: a standby process is started later.
    const [handler] = childPids(supervisor);
    return handler === undefined ? [] : [{ supervisor, handler }];
  });
}
