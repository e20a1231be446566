/** A project of each starter, made by the packed `sv-emulate` in an empty directory, with the packages of all installed. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { STARTER_NAMES } from "../../../emulator/starter/starters.ts";
import { npmRegistry, type NpmRegistry } from "../../setup/npm-registry.ts";
import { temporaryDirectory, type TemporaryDirectory } from "../../setup/temporary-directory.ts";
import { type PackedCli, packedCli } from "../docker/packed-cli.ts";
import { type CliRun, runToEnd } from "../run-to-end.ts";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** A starter's project has its name and lies in a directory of that name. */
export class StarterProjects implements AsyncDisposable {
  readonly cli: PackedCli;
  /** A registry with this packed project, and all its dependencies. */
  readonly registry: NpmRegistry;
  readonly #home: TemporaryDirectory = temporaryDirectory();
  #registryUrl = "";

  private constructor(cli: PackedCli) {
    this.cli = cli;
    this.registry = npmRegistry(cli.archive);
  }

  static async make(): Promise<StarterProjects> {
    const projects = new StarterProjects(packedCli());
    projects.#registryUrl = await projects.registry.listen("127.0.0.1");
    await Promise.all(
      STARTER_NAMES.map(async (starter) => {
        const args = ["init", projectName(starter), "--template", starter, "--yes"];
        const made = await projects.cli.run(args, "", projects.root);
        assert.equal(made.code, 0, made.stderr);
        assert.ok(made.stdout.includes(`  cd ${projectName(starter)}\n  npm install\n`));
      }),
    );
    return projects;
  }

  get root(): string {
    return this.#home.path;
  }

  directory(starter: string): string {
    return path.join(this.root, projectName(starter));
  }

  /** Does the work of `npm install` in each project: its lock file, and the packages, once for several projects. */
  async install(): Promise<void> {
    await this.#installUnion();
    await Promise.all(
      STARTER_NAMES.map(async (starter) =>
        this.#npmInstall(this.directory(starter), "--package-lock-only"),
      ),
    );
  }

  /** The packages lie above the projects, where imports and scripts find them. */
  async #installUnion(): Promise<void> {
    const manifests = STARTER_NAMES.map((starter) => {
      const file = path.join(this.directory(starter), "package.json");
      return JSON.parse(fs.readFileSync(file, "utf8")) as Manifest;
    });
    const all = (key: keyof Manifest) =>
      Object.assign({}, ...manifests.map((manifest) => manifest[key])) as object;
    const union = {
      private: true,
      dependencies: all("dependencies"),
      devDependencies: all("devDependencies"),
    };
    fs.writeFileSync(path.join(this.root, "package.json"), JSON.stringify(union));
    await this.#npmInstall(this.root);
  }

  async #npmInstall(cwd: string, ...flags: readonly string[]): Promise<void> {
    const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", ...flags];
    const { code, stderr } = await runNpm(cwd, args, {
      npm_config_registry: this.#registryUrl,
      // Installing from the lock file may reach the registry at another address.
      npm_config_omit_lockfile_registry_resolved: "true",
    });
    if (code !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry[Symbol.asyncDispose]();
    this.cli[Symbol.dispose]();
    this.#home[Symbol.dispose]();
  }
}

/** A name other than the one in the starters' files. */
export function projectName(starter: string): string {
  return `our-${starter}`;
}

/** npm as a user runs it in that directory, with the Node of these tests. */
export async function runNpm(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliRun> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SV_|VITEST)/u.test(name));
  const nodeFirst = `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"] ?? ""}`;
  const own = { ...Object.fromEntries(inherited), PATH: nodeFirst };
  return runToEnd("npm", args, { cwd, env: { ...own, ...env } });
}
