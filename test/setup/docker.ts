/** A Docker engine for tests: the engine of the run, one for a single test, or the one that SV_TEST_DOCKER_HOST names. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { whatIsMissing } from "./debian-program.ts";
import { type DockerEngineOptions, startDockerEngine } from "./docker-engine.ts";
import { sharedDockerHost } from "./shared-docker.ts";

/** Label of all that tests create, so that they remove that and nothing else. */
const LABEL = "sv-runtime.test";

/** Label of an engine that sees neither the files nor the addresses of this machine. */
export const ELSEWHERE = `${LABEL}=elsewhere`;

/** Name by which engines in a virtual machine call the surrounding machine. */
const HOST_NAME = "host.docker.internal";

/** A running engine, for authors of tests who do not want to wait for a new one. */
const givenHost = process.env["SV_TEST_DOCKER_HOST"];

/** Reason that tests with containers are left out here; undefined if they run. Under CI they are never left out. */
export const dockerIsMissing: string | undefined = whatIsMissing("tests with containers", [
  "docker",
  "busybox",
  ...(givenHost === undefined ? (["dockerd", "ip"] as const) : []),
]);

/** Reason that tests of an engine's firewall are left out here; undefined if they run. */
export function firewallIsMissing(): string | undefined {
  if (dockerIsMissing !== undefined) return dockerIsMissing;
  return whatIsMissing("tests of the networks of containers", ["iptables"]);
}

/** Reason that tests with an engine in a simulated virtual machine are left out here; undefined if they run. */
export function elsewhereIsMissing(): string | undefined {
  return whatIsMissing("tests with an engine elsewhere", [
    "docker",
    "dockerd",
    "busybox",
    "ip",
    "iptables",
  ]);
}

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Use with `await using`, or dispose of it when the tests of a file are done. */
export interface TestDocker extends AsyncDisposable {
  /** For example `unix:///tmp/sv-test-x/docker.sock`. */
  readonly host: string;
  /** Label of containers and images that are removed at the end. */
  readonly label: string;
  /** The program `docker` on this engine, with the classic builder. */
  cli(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Runs a command that must succeed: its trimmed stdout. */
  ask(...args: readonly string[]): Promise<string>;
  /** Whether it is one of `startDockerElsewhere`. */
  isElsewhere(): Promise<boolean>;
  /** Options with which a container reaches listeners on 127.0.0.1 here, and the host name that it uses. */
  wayHere(): Promise<{ readonly args: readonly string[]; readonly host: string }>;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
}

/**
 * The engine shared by all files of the run, or the given one; only under vitest.
 * @throws Error with the engine's output if it does not start
 */
export async function startDocker(): Promise<TestDocker> {
  const { inject } = await import("vitest");
  return dockerAt(givenHost ?? (await sharedDockerHost(inject("sharedDocker"))));
}

/** A test's own engine, which it may stop and start. */
export interface StoppableDocker extends TestDocker {
  /** Stops it, in order or as a crash. Its data stays. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
  /** Freezes it: it accepts connections and answers nothing, until it is thawed. */
  freeze(): void;
  thaw(): void;
}

/**
 * Starts an empty engine for one test.
 * @throws as `startDocker`
 */
export async function startOwnDocker(options: DockerEngineOptions = {}): Promise<StoppableDocker> {
  const engine = await startDockerEngine(options);
  return {
    ...dockerAt(engine.host),
    stop: (signal) => engine.stop(signal),
    start: () => engine.start(),
    freeze: () => engine.freeze(),
    thaw: () => engine.thaw(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** An engine that already runs. Disposing of it removes everything with `label`. */
export function dockerAt(host: string): TestDocker {
  const cli = (args: readonly string[], options: CliOptions = {}) => run(host, args, options);
  const ask = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(args);
    if (code !== 0) throw new Error(`docker ${args.join(" ")} failed:\n${stdout}${stderr}`);
    return stdout.trim();
  };
  const isElsewhere = async () =>
    (await ask("info", "--format", "{{json .Labels}}")).includes(ELSEWHERE);
  const wayHere = async () =>
    (await isElsewhere())
      ? { args: ["--add-host", `${HOST_NAME}:host-gateway`], host: HOST_NAME }
      : { args: ["--network", "host"], host: "127.0.0.1" };
  const docker = { host, label: `${LABEL}=${process.pid}`, cli, ask, isElsewhere, wayHere };
  const dispose = () => removeLabelled(docker, host === givenHost);
  return { ...docker, [Symbol.asyncDispose]: dispose };
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

/**
 * Ignores failures: an object that cannot be removed is being removed already, such as a container at its end.
 * Images of an engine that goes with the run stay, because the next file builds on them.
 */
async function removeLabelled(
  { cli, label }: Pick<TestDocker, "cli" | "label">,
  withImages: boolean,
): Promise<void> {
  const filter = ["-q", "--filter", `label=${label}`];
  const containers = words((await cli(["ps", "-a", ...filter])).stdout);
  if (containers.length > 0) await cli(["rm", "-fv", ...containers]);
  const images = withImages ? words((await cli(["images", ...filter])).stdout) : [];
  if (images.length > 0) await cli(["rmi", "-f", ...new Set(images)]);
}

function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}
