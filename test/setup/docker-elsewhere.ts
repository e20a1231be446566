/**
 * A Docker engine like one in a virtual machine (Docker Desktop, Colima): this machine reaches only its socket. It
 * sees only shared files of this machine, and has its own network, where `host.docker.internal` leads to 127.0.0.1
 * of this machine; ports that its containers publish on 127.0.0.1 are on 127.0.0.1 here. `node
 * test/setup/docker-elsewhere.ts` starts one and prints the variable for a test run.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ELSEWHERE, type StoppableDocker, startOwnDocker } from "./docker.ts";
import { leadToLoopback } from "./lead-to-loopback.ts";
import { makeNetworkNamespace } from "./network-namespace.ts";
import { leadPublishedPorts } from "./published-ports.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface DockerElsewhere extends StoppableDocker {
  /** Shares the directory with the engine, at the same path. */
  share(directory: string): Promise<void>;
}

/** Folder for hidden files of the simulated machine. */
const KEPT = "/mnt";

/** Port numbers that this machine never assigns by itself. */
const PUBLISHED_PORTS = "20000 29999";

/**
 * Needs root, `ip` and iptables.
 * @throws Error with the engine's output if it does not start
 */
export async function startDockerElsewhere(): Promise<DockerElsewhere> {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(temporaryDirectory()).path;
  const namespace = parts.use(await makeNetworkNamespace({ ownMounts: true }));
  parts.use(await leadToLoopback(namespace));
  const { under, inside, outside } = namespace;
  const [enter = "", ...entering] = under;
  const run = async (script: string, ...args: readonly string[]) => {
    await promisify(execFile)(enter, [...entering, "sh", "-euc", script, "sh", ...args]);
  };
  await run(`echo ${PUBLISHED_PORTS} >/proc/sys/net/ipv4/ip_local_port_range`);
  await run(`mount -t tmpfs -o mode=0755 sv-test ${KEPT}`);
  for (const directory of hidden())
    await run(
      `mkdir -p "${KEPT}$1"; mount --bind "$1" "${KEPT}$1"; mount -t tmpfs -o mode=1777 sv-test "$1"`,
      directory,
    );
  const share = (directory: string) =>
    run(`mkdir -p "$1"; mount --bind "${KEPT}$1" "$1"`, directory);
  await share(home);
  const dataRoot = path.join(home, "data");
  await run('mkdir "$1"; mount -t tmpfs sv-test "$1"', dataRoot);
  const docker = parts.use(
    await startOwnDocker({
      ...{ home, dataRoot, under, firewall: true },
      ...{ hostGateway: outside, label: ELSEWHERE },
    }),
  );
  parts.use(await leadPublishedPorts(docker.host, inside));
  const kept = parts.move();
  return { ...docker, share, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Directories of the files of tests and the emulator. */
function hidden(): readonly string[] {
  const all = [os.tmpdir(), os.homedir(), path.resolve(import.meta.dirname, "../..")];
  const isBelow = (one: string, other: string) => one !== other && one.startsWith(`${other}/`);
  return all.filter((each) => !all.some((other) => isBelow(each, other)));
}

if (import.meta.main) {
  await using docker = await startDockerElsewhere();
  console.log(`SV_TEST_DOCKER_HOST=${docker.host}`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
}
