/** Projects with packages: installed on this machine, and built into images by the packed command line. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { npmImage } from "../../setup/docker-node-image.ts";
import { startDocker, type TestDocker } from "../../setup/docker.ts";
import { npmRegistry, type NpmRegistry } from "../../setup/npm-registry.ts";
import { type CliRun, runToEnd } from "../run-to-end.ts";
import { type PackedCli, packedCli } from "./packed-cli.ts";
import { root } from "./image-scene.ts";

type Variables = Readonly<Record<string, string>>;

const worker = path.join(root, "dist/runtime/sv-worker.cjs");

/** An engine, and a registry of packages that this machine and its containers reach. Dispose of it at the end. */
export class NpmScene implements AsyncDisposable {
  readonly docker: TestDocker;
  /** Its builds reach no registry of this machine. */
  readonly isElsewhere: boolean;
  /** Addresses of the registry for this machine and for containers. */
  readonly urls: { readonly here: string; readonly inContainers: string };
  readonly #cli: PackedCli;
  readonly #node: string;
  readonly #registry: NpmRegistry;

  private constructor(
    parts: Pick<NpmScene, "docker" | "isElsewhere" | "urls"> & {
      readonly cli: PackedCli;
      readonly node: string;
      readonly registry: NpmRegistry;
    },
  ) {
    ({ docker: this.docker, isElsewhere: this.isElsewhere, urls: this.urls } = parts);
    ({ cli: this.#cli, node: this.#node, registry: this.#registry } = parts);
  }

  /** @param token with which the registry is asked; containers and this machine need it. Default: it gives everything to everybody */
  static async start(name: string, token?: string): Promise<NpmScene> {
    const cli = packedCli();
    const docker = await startDocker();
    const registry = npmRegistry(cli.archive, token);
    const gateway = ["-f", "{{(index .IPAM.Config 0).Gateway}}", "bridge"];
    const address = await docker.ask("network", "inspect", ...gateway);
    const isElsewhere = await docker.isElsewhere();
    const urls = {
      here: await registry.listen("127.0.0.1"),
      inContainers: await registry.listen(isElsewhere ? "127.0.0.1" : address),
    };
    const env = token === undefined ? settingsFor(urls.inContainers) : {};
    const node = await npmImage(docker, `sv-test/npm-${name}:${process.pid}`, env);
    return new NpmScene({ docker, isElsewhere, urls, cli, node, registry });
  }

  /** Runs a package manager, which must succeed. */
  async install(folder: string, program: string, ...args: readonly string[]): Promise<void> {
    // Yarn keeps what it knows of packages by the registry's host, without its port.
    const yarn = path.join(folder, `../yarn-${new URL(this.urls.here).port}`);
    const env = {
      ...process.env,
      CI: "true",
      YARN_CACHE_FOLDER: path.join(yarn, "cache"),
      YARN_GLOBAL_FOLDER: yarn,
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"] ?? ""}`,
      ...settingsFor(this.urls.here),
      npm_config_omit_lockfile_registry_resolved: "true",
    };
    const { code, stdout, stderr } = await runToEnd(program, args, { cwd: folder, env });
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }

  /** Lets a lock file with URLs name the registry as containers reach it. */
  addressContainers(folder: string): void {
    const file = path.join(folder, "yarn.lock");
    const lock = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, lock.replaceAll(this.urls.here, this.urls.inContainers));
  }

  async build(
    folder: string,
    target: string,
    tag: string,
    env: Variables = {},
    ...more: readonly string[]
  ): Promise<CliRun> {
    const images = ["--base-image", this.#node, "--node-image", this.#node];
    const args = ["build", ...images, target, "--tag", tag, ...more];
    return this.#cli.run(args, this.docker.host, folder, env);
  }

  /** The output of one job in a container. */
  async outputOf(image: string): Promise<unknown> {
    const run = ["run", "--rm", "--label", this.docker.label, "--read-only"];
    const { stdout, stderr } = await this.docker.cli([
      ...run,
      ...["--tmpfs", "/tmp", image, "run", "--input", "{}"],
    ]);
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  }

  /** The output of one job on this machine. */
  async outputAtHome(folder: string, handler: string): Promise<unknown> {
    const args = [worker, "run", handler, "--input", "{}"];
    const { stdout, stderr } = await runToEnd(process.execPath, args, {
      cwd: folder,
      env: process.env,
    });
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
    this.#cli[Symbol.dispose]();
    await this.docker[Symbol.asyncDispose]();
  }
}

/** Variables of the package managers for a registry without TLS. */
function settingsFor(url: string): Variables {
  return {
    npm_config_registry: url,
    YARN_NPM_REGISTRY_SERVER: url,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(url).hostname,
    YARN_ENABLE_TELEMETRY: "0",
  };
}
