/** Writes the Dockerfile of a worker whose directory has none. */
import { shellWord } from "../shell-word.ts";
import type { UserProgram } from "../user-program.ts";

/** Path of a handler's directory in its image. */
export const APP_DIRECTORY = "/app";

/**
 * Directories of the build context: the root of the image with the handler's directory, whose time thereby stays the same, and the
 * files that npm needs to install packages.
 */
export const CONTEXT = { root: "root", packages: "packages" } as const;

export interface WorkerPlan {
  readonly base: string;
  /** Directory of the worker. All paths here are absolute paths in the image. */
  readonly directory: string;
  /** The worker's handler or server. */
  readonly file: string;
  readonly kind: UserProgram["kind"];
  /** Undefined if no packages are installed. */
  readonly packages: PackagesPlan | undefined;
}

export interface PackagesPlan {
  /** Image with the npm that installs the packages. */
  readonly image: string;
  /** Directory of the lock file. */
  readonly directory: string;
  /** Shell command for that directory. */
  readonly command: string;
}

/** Script that runs after the installation, and fails if a package is missing. */
export const CHECK = "sv-packages.sh";

/** Instructions for a server. It has the service's 8 minutes to load its model before it counts as unhealthy. */
const SERVER_LINES = [
  'HEALTHCHECK --interval=15s --timeout=10s --start-period=480s --retries=3 CMD ["sv-worker-health"]',
  'CMD ["server"]',
];

export function workerDockerfile({ base, directory, file, kind, packages }: WorkerPlan): string {
  const lines = [
    ...(packages === undefined ? [] : installation(packages)),
    `FROM ${base}`,
    ...(packages === undefined ? [] : [`COPY --from=packages ${APP_DIRECTORY}/ ${APP_DIRECTORY}/`]),
    `COPY ${CONTEXT.root}/ /`,
    ...(directory === APP_DIRECTORY ? [] : [`WORKDIR ${word(directory)}`]),
    `ENV SV_HANDLER=${word(file)}`,
    ...(kind === "server" ? SERVER_LINES : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Files that were copied for npm alone are not in the image. */
function installation({ image, directory, command }: PackagesPlan): readonly string[] {
  const inDirectory = directory === APP_DIRECTORY ? "" : `cd ${shellWord(directory)} && `;
  return [
    `FROM ${image} AS packages`,
    "USER 0",
    `WORKDIR ${APP_DIRECTORY}`,
    `COPY ${CONTEXT.packages}/ ./`,
    `RUN ${inDirectory}${command}`,
    `RUN sh ./${CHECK} && find . -name node_modules -prune -o -type f -exec rm -f {} +`,
    "",
  ];
}

/** The text as one word of a Dockerfile. */
function word(text: string): string {
  return JSON.stringify(text).replaceAll("$", String.raw`\$`);
}
