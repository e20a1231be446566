/** The Dockerfile of a worker whose directory has none of its own. */
import { shellWord } from "../shell-word.ts";
import type { UserProgram } from "../user-program.ts";

/** Where a handler's directory lies in its image. */
export const APP_DIRECTORY = "/app";

/**
 * In the build context: the root of the image with the handler's directory in it, which keeps the time of that directory
 * the same, and what npm needs to install its packages.
 */
export const CONTEXT = { root: "root", packages: "packages" } as const;

export interface WorkerPlan {
  readonly base: string;
  /** Of the worker; absolute in the image, as all paths here. */
  readonly directory: string;
  /** What the worker is given as its handler or server. */
  readonly file: string;
  readonly kind: UserProgram["kind"];
  /** Undefined where none are installed. */
  readonly packages: PackagesPlan | undefined;
}

export interface PackagesPlan {
  /** The image whose npm installs them. */
  readonly image: string;
  /** Where the lock file lies. */
  readonly directory: string;
  /** For a shell in that directory. */
  readonly command: string;
}

/** Runs when the packages are installed; fails where one is missing. */
export const CHECK = "sv-packages.sh";

/** A server that loads its model is not yet ill: it has as long as the service gives it, 8 minutes, unless it answers before. */
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

/** What was copied for npm to read is not copied on. */
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

/** As a Dockerfile takes it for one word. */
function word(text: string): string {
  return JSON.stringify(text).replaceAll("$", String.raw`\$`);
}
