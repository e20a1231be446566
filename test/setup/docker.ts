/** A Docker engine for tests: one of their own with nothing in it, or the one that SV_TEST_DOCKER_HOST names. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { type DebianProgram, whatIsMissing } from "./debian-program.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const READY_MS = 30_000;
const END_MS = 20_000;

/** Everything that tests make carries it, so that they remove that and nothing else. */
const LABEL = "sv-runtime.test";

/** An engine that runs already, for those who write tests and do not want to wait for one each time. */
const givenHost = process.env["SV_TEST_DOCKER_HOST"];

const programs: readonly DebianProgram[] = [
  { name: "docker", package: "docker.io", probe: ["docker", "--version"] },
  { name: "busybox", package: "busybox-static", probe: ["busybox", "true"] },
];
const engineItself: readonly DebianProgram[] = [
  { name: "dockerd", package: "docker.io", probe: ["dockerd", "--version"] },
  {
    name: "ip (making a network bridge)",
    package: "iproute2",
    probe: ["sh", "-c", "ip link add sv-probe type bridge && ip link delete sv-probe"],
  },
];

/** Why tests with containers are left out here; undefined where they run. Under CI they are never left out. */
export const dockerIsMissing: string | undefined = whatIsMissing("tests with containers", [
  ...programs,
  ...(givenHost === undefined ? engineItself : []),
]);

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Use with `await using`, or dispose of it when the tests of a file are done. */
export interface TestDocker extends AsyncDisposable {
  /** For example `unix:///tmp/sv-test-x/docker.sock`. */
  readonly host: string;
  /** Put on containers and images; those that carry it are removed in the end. */
  readonly label: string;
  /** The program `docker` on this engine, with the classic builder. */
  cli(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** The same where it must succeed: what it wrote to stdout, trimmed. */
  ask(...args: readonly string[]): Promise<string>;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
}

export interface EngineOptions {
  /** Whether it has to be an engine of its own in any case, for it will be ended. */
  readonly own?: boolean;
  /** A directory that its `PATH` begins with: an engine of its own in any case. */
  readonly pathBegin?: string;
}

/** @throws Error with what the engine said when it does not come up */
export async function startDocker({
  own = false,
  pathBegin,
}: EngineOptions = {}): Promise<TestDocker> {
  const engine =
    givenHost === undefined || own || pathBegin !== undefined
      ? await startEngine(pathBegin)
      : { host: givenHost, end: () => undefined };
  const label = `${LABEL}=${process.pid}`;
  const cli = (args: readonly string[], options: CliOptions = {}) =>
    run(engine.host, args, options);
  const ask = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(args);
    if (code !== 0) throw new Error(`docker ${args.join(" ")} failed:\n${stdout}${stderr}`);
    return stdout.trim();
  };
  return {
    host: engine.host,
    label,
    cli,
    ask,
    async [Symbol.asyncDispose]() {
      try {
        await removeLabelled(cli, label);
      } finally {
        await engine.end();
      }
    },
  };
}

async function run(
  host: string,
  args: readonly string[],
  { cwd, input }: CliOptions,
): Promise<CliRun> {
  const child = spawn("docker", args, {
    env: { ...process.env, DOCKER_HOST: host, DOCKER_BUILDKIT: "0" },
    stdio: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(input);
  const [code] = (await once(child, "close")) as [number | null];
  return { code: code ?? -1, stdout, stderr };
}

/** What cannot be removed is being removed already: a container that was to go when it ended, say. */
async function removeLabelled(cli: TestDocker["cli"], label: string): Promise<void> {
  const filter = ["-q", "--filter", `label=${label}`];
  const containers = words((await cli(["ps", "-a", ...filter])).stdout);
  if (containers.length > 0) await cli(["rm", "-fv", ...containers]);
  const images = words((await cli(["images", ...filter])).stdout);
  if (images.length > 0) await cli(["rmi", "-f", ...new Set(images)]);
}

function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

interface Engine {
  readonly host: string;
  readonly end: () => void | Promise<void>;
}

/**
 * Its data, sockets and bridge are its own, and it leaves the machine's firewall as it is: so it runs beside any other engine.
 * Its containers reach this machine, and nothing beyond.
 */
async function startEngine(pathBegin?: string): Promise<Engine> {
  const home = temporaryDirectory();
  const at = (name: string): string => path.join(home.path, name);
  const host = `unix://${at("docker.sock")}`;
  const bridge = await makeBridge();
  // Ends with this process even when that is killed.
  const args = [
    ...["--pdeathsig", "SIGTERM", "dockerd", "--host", host],
    ...["--data-root", at("data"), "--exec-root", at("exec"), "--pidfile", at("pid")],
    ...["--bridge", bridge.name, "--iptables=false", "--ip-masq=false"],
    ...["--containerd-namespace", bridge.name],
    ...["--containerd-plugins-namespace", `${bridge.name}-plugins`],
  ];
  const searched = [pathBegin, process.env["PATH"]].filter((part) => part !== undefined).join(":");
  const daemon = spawn("setpriv", args, { env: { ...process.env, PATH: searched } });
  let said = "";
  for (const stream of [daemon.stdout, daemon.stderr]) {
    stream.on("data", (piece: Buffer) => (said += piece.toString()));
  }
  const end = async (): Promise<void> => {
    await endDaemon(daemon);
    await bridge.remove();
    await unmountBelow(home.path);
    home[Symbol.dispose]();
  };
  try {
    await answers(host, daemon);
    return { host, end };
  } catch (error) {
    await end();
    throw new Error(`the Docker engine did not come up:\n${said}`, { cause: error });
  }
}

async function makeBridge(): Promise<{ readonly name: string; remove(): Promise<void> }> {
  const ip = async (...args: readonly string[]) => promisify(execFile)("ip", [...args]);
  const name = `sv-t${process.pid}`;
  const address = `10.${200 + (process.pid % 50)}.${(process.pid >> 6) % 256}.1/24`;
  await ip("link", "add", name, "type", "bridge");
  await ip("address", "add", address, "dev", name);
  await ip("link", "set", name, "up");
  return { name, remove: async () => void (await ip("link", "delete", name)) };
}

/** Nothing announces that it can be asked; it takes connections long before. */
async function answers(host: string, daemon: ChildProcess): Promise<void> {
  const until = performance.now() + READY_MS;
  while (daemon.exitCode === null && performance.now() < until) {
    const { code } = await run(host, ["version"], {});
    if (code === 0) return;
    await wait(50);
  }
  throw new Error(`dockerd ended with code ${daemon.exitCode}, or said nothing for too long`);
}

async function endDaemon(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const force = setTimeout(() => daemon.kill("SIGKILL"), END_MS);
  daemon.kill("SIGTERM");
  await once(daemon, "exit");
  clearTimeout(force);
}

/** An engine that ends leaves the network of the machine mounted, if a container had it, and one that fails its data. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = fs.readFileSync("/proc/self/mounts", "utf8").split("\n");
  const points = mounts.flatMap((line) => line.split(" ")[1] ?? []);
  const below = points.filter((point) => point.startsWith(`${folder}/`)).toReversed();
  for (const point of below) await promisify(execFile)("umount", ["--lazy", point]);
}
