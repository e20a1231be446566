/** Finds the lock file for the packages of a directory: its own, its package's, or that of the workspace. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { glob } from "node:fs/promises";
import path from "node:path";
import { shellWord } from "../shell-word.ts";
import { failedImage } from "../image-error.ts";

/** A lock file. Its paths are relative to its directory, with forward slashes. */
export interface Lock {
  /** Absolute path of the lock file's directory. */
  readonly root: string;
  readonly name: string;
  /** Directory of the package whose dependencies are wanted; "" for that of the lock file. */
  readonly member: string;
  /** Directories of all packages of the workspace, `member` included. */
  readonly members: readonly string[];
  /** Existing files and directories that an installation reads. */
  readonly files: readonly string[];
  /** Shell command that installs the dependencies of `member`, run in the lock file's directory. */
  readonly command: string;
}

/** @throws ImageError if the packages of a lock file cannot be installed in an image */
export async function findLock(directory: string): Promise<Lock | undefined> {
  const owner = above(directory).find((folder) => existsSync(path.join(folder, MANIFEST)));
  if (owner === undefined) return undefined;
  for (const root of above(owner)) {
    for (const [name, manager] of Object.entries(MANAGERS)) {
      if (!existsSync(path.join(root, name))) continue;
      const text = readFileSync(path.join(root, name), "utf8");
      const member = relative(root, owner);
      const { members, files } = await sourcesOf(manager, root, text).catch((error: unknown) => {
        throw failedImage(`${path.join(root, name)} cannot be used`, error);
      });
      if (!members.includes(member)) continue;
      const read = [name, ".npmrc", ...manager.files, ...files];
      return {
        ...{ root, name, member, members },
        files: read.filter((file) => existsSync(path.join(root, file))),
        command: manager.command({ root, text, member }),
      };
    }
  }
  return undefined;
}

/** The existing sources: a link in a lock file may lead to a directory of another machine. */
async function sourcesOf(manager: Manager, root: string, text: string): Promise<Sources> {
  const { members, files } = await manager.read(root, text);
  const all = [...new Set(["", ...members])];
  return { members: all.filter((member) => existsSync(path.join(root, member, MANIFEST))), files };
}

export const MANIFEST = "package.json";

interface Manager {
  readonly files: readonly string[];
  read(root: string, text: string): Sources | Promise<Sources>;
  command(of: { readonly root: string; readonly text: string; readonly member: string }): string;
}

interface Sources {
  readonly members: readonly string[];
  /** Packages that are archives in the workspace. */
  readonly files: readonly string[];
}

/** Versions of pnpm by lock file version, for a package.json that names none: the last that reads the settings of both. */
const PNPM: Readonly<Record<string, string>> = { "6.0": "8.15.9", "9.0": "10.34.8" };
const YARN_CLASSIC = "1.22.22";
const YARN = "4.18.1";

/** Package managers by the name of their lock file. */
const MANAGERS: Readonly<Record<string, Manager>> = {
  "package-lock.json": {
    files: [],
    read: readNpmLock,
    command: ({ member }) =>
      `npm ci --omit=dev --no-audit --no-fund --no-update-notifier${member && ` --workspace=${shellWord(member)}`}`,
  },
  "pnpm-lock.yaml": {
    files: ["pnpm-workspace.yaml", ".pnpmfile.cjs", "patches"],
    read: readPnpmLock,
    command({ root, text, member }) {
      const [, format = ""] = /^lockfileVersion: '?([\d.]+)/u.exec(text) ?? [];
      const version = managerVersion(root, "pnpm") ?? PNPM[format] ?? PNPM["9.0"];
      const only = member && ` --filter ${shellWord(`{${member}}...`)}`;
      return `CI=true npm exec --yes -- pnpm@${version} install --prod --frozen-lockfile${only}`;
    },
  },
  "yarn.lock": {
    files: [".yarnrc", ".yarnrc.yml", ".yarn/patches", ".yarn/plugins", ".yarn/releases"],
    read: readWorkspaces,
    command({ root, text, member }) {
      if (text.includes("# yarn lockfile v1")) {
        return `npm exec --yes -- yarn@${YARN_CLASSIC} install --production --frozen-lockfile --non-interactive`;
      }
      const version = managerVersion(root, "yarn") ?? YARN;
      const yarn = `YARN_NODE_LINKER=node-modules npm exec --yes --package=@yarnpkg/cli-dist@${version} -- yarn`;
      return `cd ./${shellWord(member)} && ${yarn} workspaces focus --production`;
    },
  },
};

/** Entries below `node_modules` are installed packages. Links among them lead to packages of the workspace. */
function readNpmLock(root: string, text: string): Sources {
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<
      Record<string, { readonly dev?: true; readonly link?: true; readonly resolved?: string }>
    >;
  };
  const entries = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  const files = entries.flatMap(([place, { link, resolved = "" }]) => {
    if (link === true || !resolved.startsWith("file:")) return [];
    const file = resolved.slice("file:".length);
    if (!statSync(path.join(root, file), { throwIfNoEntry: false })?.isDirectory()) return [file];
    throw new Error(
      `${place} is a copy of ${file}, which is not in the image; link it: npm install --install-links=false`,
    );
  });
  const sources = entries.filter(([place]) => !place.split("/").includes("node_modules"));
  return { members: sources.map(([place]) => place), files };
}

/** Reads only the lines of the YAML that name a package of the workspace, or a file. */
function readPnpmLock(root: string, text: string): Sources {
  const [, importers = ""] = /^importers:\n((?: .*\n|\n)*)/mu.exec(text) ?? [];
  const members = [...importers.matchAll(/^ {2}'?([^\s'][^':]*)'?:/gmu)].map(([, name = ""]) =>
    name === "." ? "" : name,
  );
  const named = [...text.matchAll(/@file:([^\s'"(){}:,]+)/gu)].map(([, name = ""]) => name);
  const isDirectory = (name: string): boolean =>
    statSync(path.join(root, name), { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    members: [...members, ...named.filter((name) => isDirectory(name))],
    files: named.filter((name) => !isDirectory(name)),
  };
}

async function readWorkspaces(root: string): Promise<Sources> {
  const { workspaces = [] } = manifestAt(root);
  const patterns = "packages" in workspaces ? workspaces.packages : workspaces;
  const files = patterns.map((pattern) => path.posix.join(pattern, MANIFEST));
  const options = { cwd: root, exclude: ["**/node_modules/**"] };
  const found = await Array.fromAsync(glob(files, options));
  return { members: found.map((file) => relative(root, path.join(root, file, ".."))), files: [] };
}

interface Manifest {
  readonly packageManager?: string;
  readonly workspaces?: readonly string[] | { readonly packages: readonly string[] };
}

function manifestAt(root: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, MANIFEST), "utf8")) as Manifest;
}

function managerVersion(root: string, manager: string): string | undefined {
  const [name, version] = (manifestAt(root).packageManager ?? "").split(/[@+]/u);
  return name === manager && /^\d+\.\d+\.\d+$/u.test(version ?? "") ? version : undefined;
}

/** The directory and its parents, the nearest first. */
function above(directory: string): readonly string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...above(parent)];
}

function relative(from: string, to: string): string {
  return path.relative(from, to).replaceAll(path.sep, "/");
}
