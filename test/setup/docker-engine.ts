/** An empty Docker engine of the tests' own: a process with its own data, sockets and bridge. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { temporaryDirectory, type TemporaryDirectory } from "./temporary-directory.ts";
import { mountTmpfs, tmpfsIsMissing } from "./tmpfs.ts";
import { PROC } from "./proc.ts";
import { LOOK_MS } from "./patience.ts";

const END_MS = 20_000;

export interface DockerEngine extends AsyncDisposable {
  /** For example `unix:///tmp/sv-test-x/docker.sock`. */
  readonly host: string;
  /** Stops it, in order or as a crash. Its data stays. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /**
   * Starts it again on its data; does nothing while it runs.
   * @throws Error with its output if it does not start
   */
  start(): Promise<void>;
  /** Freezes it: it accepts connections and answers nothing, until it is thawed. */
  freeze(): void;
  thaw(): void;
}

export interface DockerEngineOptions {
  /** Folder of its sockets; default: its own directory. */
  readonly home?: string;
  /** Target of `host-gateway` for its containers; default: its default bridge. */
  readonly hostGateway?: string;
  /** Labels that `docker info` shows. */
  readonly label?: string;
  /** Folder of images and containers; default: in memory if there is plenty, otherwise its own directory. */
  readonly dataRoot?: string;
  /** First directory of its `PATH`. */
  readonly pathBegin?: string;
  /** Its containers continue while it is stopped, and it finds their state again. */
  readonly liveRestore?: boolean;
  /** True: it sets up the firewall, like most engines. Only for an engine in its own network namespace. */
  readonly firewall?: boolean;
  /** Command that runs a program in its namespace. */
  readonly under?: readonly string[];
  /** The program that runs its containers instead of runc. */
  readonly runtime?: string;
}

/** Maximum memory for images and containers, which spares the disk: tests write and delete hundreds of MB. */
const IN_MEMORY_MAX_BYTES = 3 * 1024 ** 3;

/** Number of bridges that this process has made. */
let bridges = 0;

/**
 * Starts an engine. It leaves the machine's firewall alone by default, so it can run beside other engines. Its
 * containers reach only this machine.
 * @throws Error with the engine's output if it does not start
 */
export async function startDockerEngine({
  dataRoot,
  ...options
}: DockerEngineOptions = {}): Promise<DockerEngine> {
  const own = options.home === undefined ? temporaryDirectory() : undefined;
  const home = options.home ?? own?.path ?? "";
  const data = dataRoot === undefined ? roomForData() : undefined;
  const bridge = await makeBridge(options.under);
  const place = dataRoot ?? data?.path ?? path.join(home, "data");
  const engine = new Daemon(home, bridge.name, place, options);
  const dispose = async (): Promise<void> => {
    await removeWhatOutlivesIt(engine.host);
    await engine.stop();
    await bridge.remove();
    for (const folder of [home, place]) await unmountBelow(folder);
    data?.[Symbol.dispose]();
    own?.[Symbol.dispose]();
  };
  try {
    await engine.start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    host: engine.host,
    stop: (signal) => engine.stop(signal),
    start: () => engine.start(),
    freeze: () => engine.signal("SIGSTOP"),
    thaw: () => engine.signal("SIGCONT"),
    [Symbol.asyncDispose]: dispose,
  };
}

class Daemon {
  readonly host: string;
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #helperPid: string;
  #process: ChildProcess | undefined;

  constructor(home: string, bridge: string, dataRoot: string, options: DockerEngineOptions) {
    const { pathBegin, liveRestore = false, firewall = false, under = [], runtime } = options;
    const { hostGateway, label } = options;
    const at = (name: string): string => path.join(home, name);
    this.host = `unix://${at("docker.sock")}`;
    const searched = [pathBegin, process.env["PATH"]]
      .filter((part) => part !== undefined)
      .join(":");
    this.#env = { ...process.env, PATH: searched };
    this.#helperPid = at("exec/containerd/containerd.pid");
    this.#command = [
      // The engine ends with this process even when that is killed.
      ...[...under, "setpriv", "--pdeathsig", "SIGTERM", "dockerd"],
      ...["--host", this.host, "--data-root", dataRoot],
      ...["--exec-root", at("exec"), "--pidfile", at("pid")],
      ...["--bridge", bridge, `--iptables=${firewall}`, `--ip-masq=${firewall}`],
      ...(liveRestore ? ["--live-restore"] : []),
      ...(hostGateway === undefined ? [] : ["--host-gateway-ip", hostGateway]),
      ...(label === undefined ? [] : ["--label", label]),
      ...(runtime === undefined
        ? []
        : ["--add-runtime", `own=${runtime}`, "--default-runtime", "own"]),
      ...["--containerd-namespace", bridge, "--containerd-plugins-namespace", `${bridge}-plugins`],
    ];
  }

  async start(): Promise<void> {
    if (this.#isRunning) return;
    const [program = "", ...args] = this.#command;
    const daemon = spawn(program, args, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = daemon;
    let said = "";
    for (const stream of [daemon.stdout, daemon.stderr]) {
      stream.on("data", (piece: Buffer) => (said += piece.toString()));
    }
    try {
      await this.#answers(daemon);
    } catch (error) {
      await this.stop();
      throw new Error(`the Docker engine did not come up:\n${said}`, { cause: error });
    }
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const daemon = this.#process;
    if (daemon === undefined || !this.#isRunning) return;
    const force = setTimeout(() => daemon.kill("SIGKILL"), END_MS);
    daemon.kill(signal);
    await once(daemon, "exit");
    clearTimeout(force);
    // Its container processes were killed with it; if they stayed zombies, the next engine would wait for their
    // end.
    fs.rmSync(this.#helperPid, { force: true });
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#process?.kill(name);
  }

  get #isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Polls until the engine answers: no event announces that, and it accepts connections long before. */
  async #answers(daemon: ChildProcess): Promise<void> {
    const until = performance.now() + LOOK_MS;
    while (daemon.exitCode === null && performance.now() < until) {
      if (await succeeds("docker", "--host", this.host, "version")) return;
      await wait(50);
    }
    throw new Error(`dockerd ended with code ${daemon.exitCode}, or said nothing for too long`);
  }
}

/**
 * Removes bridges of networks that were made in it, and containers that continue without it. An engine that has
 * ended has neither.
 */
async function removeWhatOutlivesIt(host: string): Promise<void> {
  const docker = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)("docker", ["--host", host, ...args]);
    return stdout.split("\n").filter((line) => line !== "");
  };
  if (!(await succeeds("docker", "--host", host, "version"))) return;
  const containers = await docker("ps", "-aq");
  if (containers.length > 0) await docker("rm", "-f", ...containers);
  const networks = await docker("network", "ls", "-q", "--filter", "type=custom");
  if (networks.length > 0) await docker("network", "rm", ...networks);
}

/** Undefined if memory is scarce, or nothing can be mounted. */
function roomForData(): TemporaryDirectory | undefined {
  if (tmpfsIsMissing !== undefined || os.freemem() < 2 * IN_MEMORY_MAX_BYTES) return undefined;
  return mountTmpfs(IN_MEMORY_MAX_BYTES);
}

async function succeeds(command: string, ...args: readonly string[]): Promise<boolean> {
  return promisify(execFile)(command, [...args]).then(
    () => true,
    () => false,
  );
}

async function makeBridge(
  under: readonly string[] = [],
): Promise<{ readonly name: string; remove(): Promise<void> }> {
  const ip = async (...args: readonly string[]) => {
    const [program = "", ...rest] = [...under, "ip", ...args];
    await promisify(execFile)(program, rest);
  };
  bridges += 1;
  const name = `sv-t${process.pid}.${bridges}`;
  const place = process.pid + bridges;
  const address = `10.${200 + (place % 50)}.${(place >> 6) % 256}.1/24`;
  await ip("link", "add", name, "type", "bridge");
  await ip("address", "add", address, "dev", name);
  await ip("link", "set", name, "up");
  return { name, remove: () => ip("link", "delete", name) };
}

/** An engine that ends leaves the machine's network mounted if a container used it; a failed one leaves its data. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = fs.readFileSync(`${PROC}/self/mounts`, "utf8").split("\n");
  const points = mounts.flatMap((line) => line.split(" ")[1] ?? []);
  const below = points.filter((point) => point.startsWith(`${folder}/`)).toReversed();
  for (const point of below) await promisify(execFile)("umount", ["--lazy", point]);
}
