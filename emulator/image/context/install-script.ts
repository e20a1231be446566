/** The script that installs the packages of a worker's image, in a stage of its build. */
import path from "node:path";
import { SENTENCE } from "../engine/build-progress.ts";
import { shellWord } from "../shell-word.ts";
import type { ContextFile } from "./build-context.ts";
import { type Lock, MANIFEST } from "./lock-file.ts";
import { REASONS } from "./own-scripts.ts";
import { OWN_PACKAGE, type PackageImport } from "./package-imports.ts";
import type { SecretMount } from "./package-settings.ts";
import { APP_DIRECTORY, CONTEXT, INSTALL, INSTALLATION, INSTALLED } from "./worker-dockerfile.ts";
import { lacking, type PlaceOf } from "./worker-packages.ts";

export interface Installation {
  readonly lock: Lock;
  readonly placeOf: PlaceOf;
  /** Shell command for the directory of the lock file. */
  readonly command: string;
  readonly mounts: readonly SecretMount[];
  /** The module that is bundled, and what it imports. */
  readonly program: string;
  readonly imports: readonly PackageImport[];
}

/** Files of package managers with the time of the installation. */
const WITH_TIME = "\\( -name .modules.yaml -o -name '.pnpm-workspace-state*.json' \\)";
/** Some programs know no time before 1980. */
const TOUCH = "touch -h -d '1980-01-01 00:00:00'";

/**
 * Only installed packages stay, with fixed times. The directory is made and moved in one step, which costs nothing in an overlay;
 * copied as a whole it keeps its time.
 */
export function installScript(installation: Installation): ContextFile {
  const { lock, placeOf, command, mounts } = installation;
  const links = mounts.map(({ id, target }) => `ln -sf /run/secrets/${id} ${target}`);
  const linked = mounts.map(({ target }) => `rm -f ${target}`);
  const why = `{ [ ! -f ${REASONS} ] || cat ${REASONS} >&2; exit 1; }`;
  const lines = [
    "set -eu",
    `mkdir -p ${APP_DIRECTORY}`,
    `cp -R ${INSTALLATION}${APP_DIRECTORY}/. ${APP_DIRECTORY}/`,
    ...links,
    `(cd ${shellWord(placeOf(lock.root))} && ${command}) || ${why}`,
    ...linked,
    ...checks(installation),
    `cd ${APP_DIRECTORY}`,
    "find . -name node_modules -prune -o -type f -exec rm -f {} +",
    `find . -path '*/node_modules/*' ${WITH_TIME} -exec rm -f {} +`,
    `find . -exec ${TOUCH} {} +`,
    `mkdir ${INSTALLED}`,
    `mv ${APP_DIRECTORY} ${INSTALLED}/`,
  ];
  return { path: path.posix.join(CONTEXT.packages, INSTALL), content: `${lines.join("\n")}\n` };
}

/** Lines that fail with a sentence for each package that was not installed. */
function checks({ lock, placeOf, program, imports }: Installation): readonly string[] {
  const manifest = path.posix.join(lock.member, MANIFEST);
  const tests = imports.flatMap((imported) => {
    const { packageName, file, isSameForProgram } = imported;
    if (packageName === undefined || packageName === OWN_PACKAGE) return [];
    const places =
      isSameForProgram || file === undefined
        ? modulesOf(placeOf(program), packageName)
        : [placeOf(file)];
    const what = `${lock.name} installs it for no "dependencies" of ${manifest}; add it there`;
    const isThere = places.map((place) => `[ -e ${shellWord(place)} ]`).join(" || ");
    return [`${isThere} || lacks ${shellWord(lacking(imported, lock.root, what))}`];
  });
  const lacks = `lacks() { echo "${SENTENCE}$1" >&2; status=1; }`;
  return ["status=0", lacks, ...tests, '[ "$status" -eq 0 ]'];
}

/** The directories in which Node looks for a package. */
function modulesOf(module: string, packageName: string): readonly string[] {
  const folder = path.posix.dirname(module);
  const here = path.posix.join(folder, "node_modules", packageName);
  return folder === APP_DIRECTORY ? [here] : [here, ...modulesOf(folder, packageName)];
}
