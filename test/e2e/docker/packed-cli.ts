/** The published command line: packed by npm, and unpacked into its own project. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TemporaryDirectory, temporaryDirectory } from "../../setup/temporary-directory.ts";
import { program } from "../emulator-process.ts";
import { type CliRun, runToEnd } from "../run-to-end.ts";
import { root } from "./image-scene.ts";

export interface Cli extends Disposable {
  run(
    args: readonly string[],
    dockerHost: string,
    cwd?: string,
    env?: Readonly<Record<string, string>>,
  ): Promise<CliRun>;
}

export interface PackedCli extends Cli {
  /** Path of the result of `npm pack`. */
  readonly archive: string;
}

/** The built command line: it has all files of the packed one, without the time to pack. */
export function builtCli(): Cli {
  return cliAt(program, temporaryDirectory());
}

export function packedCli(): PackedCli {
  const home = temporaryDirectory();
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", home.path];
  const packed = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim();
  const archive = path.join(home.path, packed);
  const folder = path.join(home.path, "node_modules/sv-runtime");
  fs.mkdirSync(folder, { recursive: true });
  const unpack = ["-xzf", archive, "-C", folder, "--strip-components=1"];
  execFileSync("tar", unpack);
  linkDependencies(folder, path.join(home.path, "node_modules"));
  return { archive, ...cliAt(path.join(folder, "dist/emulator/cli/sv-emulate.js"), home) };
}

function cliAt(file: string, home: TemporaryDirectory): Cli {
  return {
    run: async (args, dockerHost, cwd = home.path, env = {}) =>
      runToEnd(process.execPath, [file, ...args], {
        cwd,
        env: { ...process.env, DOCKER_HOST: dockerHost, ...env },
      }),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

/** Links only the packages that it depends on, from this project's installation. */
function linkDependencies(folder: string, modules: string): void {
  const manifest = fs.readFileSync(path.join(folder, "package.json"), "utf8");
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(manifest) as Readonly<
    Partial<Record<string, object>>
  >;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const installed = path.join(root, "node_modules", name);
    // Only the package of this platform is installed.
    if (!fs.existsSync(installed)) continue;
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    fs.symlinkSync(installed, path.join(modules, name));
  }
}
