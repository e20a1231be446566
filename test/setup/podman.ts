/** A Podman of the tests' own that answers like Docker's engine: with its own images, containers and networks, as root. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { whatIsMissing } from "./debian-program.ts";
import { dockerAt, dockerIsMissing, type TestDocker } from "./docker.ts";
import { LOOK_MS } from "./patience.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Machines without the right to raise limits run containers with these only. */
const CONFIG = `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=8000:8000"]
[engine]
runtime = "runc"
`;

/** Reason that tests with Podman are left out here; undefined if they run. */
export function podmanIsMissing(): string | undefined {
  return dockerIsMissing ?? whatIsMissing("tests with Podman", ["podman", "catatonit", "netavark"]);
}

/** @throws Error with its output if it does not answer */
export async function startPodman(): Promise<TestDocker> {
  const home = temporaryDirectory();
  const at = (name: string) => path.join(home.path, name);
  const host = `unix://${at("podman.sock")}`;
  fs.writeFileSync(at("containers.conf"), CONFIG);
  const env = { ...process.env, CONTAINERS_CONF: at("containers.conf") };
  const own = ["--root", at("root"), "--runroot", at("run")];
  const service = spawn(
    "setpriv",
    ["--pdeathsig", "SIGTERM", "podman", ...own, "system", "service", "--time=0", host],
    { env, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  service.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
  const docker = dockerAt(host);
  const dispose = async () => {
    await docker[Symbol.asyncDispose]();
    if (service.exitCode === null) {
      service.kill();
      await once(service, "exit");
    }
    // Removes its images, whose files only it can remove.
    await promisify(execFile)("podman", [...own, "system", "reset", "--force"], { env });
    home[Symbol.dispose]();
  };
  const until = performance.now() + LOOK_MS;
  while ((await docker.cli(["version"])).code !== 0) {
    if (performance.now() > until) {
      await dispose();
      throw new Error(`podman did not answer:\n${said}`);
    }
    await wait(50);
  }
  return { ...docker, [Symbol.asyncDispose]: dispose };
}
