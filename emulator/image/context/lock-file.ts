/** Finds the lock file for the packages of a directory: its own, its package's, or that of the workspace. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { glob } from "node:fs/promises";
import path from "node:path";
import { shellWord } from "../shell-word.ts";
import { failedImage } from "../image-error.ts";
import { developmentOf, readNpmLock } from "./npm-lock.ts";
import { filesNamedIn } from "./named-files.ts";

/** A lock file. Its paths are relative to its directory, with forward slashes. */
export interface Lock {
  /** Absolute path of the lock file's directory. */
  readonly root: string;
  readonly name: string;
  /** Directory of the package whose dependencies are wanted; "" for that of the lock file. */
  readonly member: string;
  /** Directories of all packages of the workspace, `member` included. */
  readonly members: readonly string[];
  /** Existing files and directories that an installation reads, without the settings that may have secrets. */
  readonly files: readonly string[];
  /** Whether scripts of installed packages may run, which may read files of the project. */
  readonly runsScripts: boolean;
  /** Whether such a script needs a program of the development packages. */
  readonly needsDevelopment: boolean;
  /** Paths of development packages that are removed without the package manager, which would remove what scripts have made, too. */
  readonly development: readonly string[];
  /** Shell command that installs the dependencies of `member`, run in the lock file's directory. */
  command(scope: InstallScope): string;
}

export interface InstallScope {
  /** Whether development packages are installed for scripts, and removed after them. */
  readonly isWhole: boolean;
  /** Whether the packages of the lock file's directory are installed too. */
  readonly withRoot: boolean;
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
      const manifests = members.map((folder) => path.posix.join(folder, MANIFEST));
      const named = [...manager.files, ...manifests].flatMap((file) => filesNamedIn(root, file));
      const read = new Set([name, ...manager.files, ...files, ...named]);
      return {
        ...{ root, name, member, members },
        development: manager.development(text),
        files: [...read].filter((file) => existsSync(path.join(root, file))),
        runsScripts: manager.runsScripts(root, text),
        needsDevelopment: /@prisma\/client\b/u.test(text),
        command: (scope) => manager.command({ ...scope, root, text, member }),
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
  runsScripts(root: string, text: string): boolean;
  development(text: string): readonly string[];
  command(installation: Installation): string;
}

interface Installation extends InstallScope {
  readonly root: string;
  readonly text: string;
  readonly member: string;
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

/** Variable: the own scripts have run, and yarn, which would run them again, only removes development packages. */
export const SCRIPTS_RAN = "SV_SCRIPTS_RAN";

/** File beside the manifests with the paths of development packages. */
export const DEVELOPMENT = ".sv-development";

/** Programs of packages that were removed are links to nothing. */
const WITHOUT_DEVELOPMENT = `while IFS= read -r place; do rm -rf "./$place"; done < ${DEVELOPMENT} && find . -path '*/.bin/*' -type l | while IFS= read -r link; do [ -e "$link" ] || rm -f "$link"; done`;

const NPM = "--no-audit --no-fund --no-update-notifier";
/** Settings of pnpm by which packages may run scripts. */
const PNPM_SCRIPTS = /onlyBuiltDependencies|allowBuilds|dangerouslyAllowAllBuilds|neverBuiltDep/u;

/** Package managers by the name of their lock file. Development packages are installed with all others, and then removed. */
const MANAGERS: Readonly<Record<string, Manager>> = {
  "package-lock.json": {
    files: [],
    read: readNpmLock,
    runsScripts: (_, text) => /"hasInstallScript": ?true/u.test(text),
    development: developmentOf,
    command({ member, isWhole, withRoot }) {
      const root = withRoot && member ? " --include-workspace-root" : "";
      const only = `${NPM}${member && ` --workspace=${shellWord(member)}`}${root}`;
      return isWhole
        ? `npm ci ${only} && { ${WITHOUT_DEVELOPMENT}; }`
        : `npm ci --omit=dev ${only}`;
    },
  },
  "pnpm-lock.yaml": {
    files: ["pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs", "patches"],
    read: readPnpmLock,
    runsScripts: (root, text) =>
      text.includes("requiresBuild: true") ||
      [MANIFEST, "pnpm-workspace.yaml"].some((file) => PNPM_SCRIPTS.test(textAt(root, file))),
    development: () => [],
    command({ root, text, member, isWhole, withRoot }) {
      const [, format = ""] = /^lockfileVersion: '?([\d.]+)/u.exec(text) ?? [];
      const version = managerVersion(root, "pnpm") ?? PNPM[format] ?? PNPM["9.0"];
      const filters = [
        ...(member ? [`{${member}}...`] : []),
        ...(member && withRoot ? ["{.}"] : []),
      ];
      const only = filters.map((filter) => ` --filter ${shellWord(filter)}`).join("");
      const pnpm = `CI=true npm exec --yes -- pnpm@${version} install --frozen-lockfile${only}`;
      return isWhole ? `${pnpm} && ${pnpm} --prod --offline --ignore-scripts` : `${pnpm} --prod`;
    },
  },
  "yarn.lock": {
    files: [".yarn/cache", ".yarn/patches", ".yarn/plugins", ".yarn/releases"],
    read: readWorkspaces,
    runsScripts: () => true,
    development: () => [],
    command({ root, text, member, isWhole }) {
      if (text.includes("# yarn lockfile v1")) {
        const production = isWhole ? "" : " --production";
        return `npm exec --yes -- yarn@${YARN_CLASSIC} install --frozen-lockfile --non-interactive${production}`;
      }
      const version = managerVersion(root, "yarn") ?? YARN;
      const yarn = `npm exec --yes --package=@yarnpkg/cli-dist@${version} -- yarn`;
      const settings = "export YARN_NODE_LINKER=node-modules YARN_ENABLE_INLINE_BUILDS=true";
      const whole = isWhole
        ? `${yarn} install && export YARN_ENABLE_SCRIPTS=false ${SCRIPTS_RAN}=1 && `
        : "";
      return `${settings}; cd ./${shellWord(member)} && ${whole}${yarn} workspaces focus --production`;
    },
  },
};

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

function textAt(root: string, file: string): string {
  const place = path.join(root, file);
  return existsSync(place) ? readFileSync(place, "utf8") : "";
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
