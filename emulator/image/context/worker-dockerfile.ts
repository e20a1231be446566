/** Writes the Dockerfile of a worker whose directory has none. */
import type { UserProgram } from "../user-program.ts";

/** Path of a handler's directory in its image. */
export const APP_DIRECTORY = "/app";

/**
 * Directories of the build context. `data` and `code` are the root of the image with the handler's directory, which thereby keeps its
 * times: large files that seldom change, and all others. `packages` is what an installation of packages reads.
 */
export const CONTEXT = { data: "data", code: "code", packages: "packages" } as const;

export interface WorkerPlan {
  readonly base: string;
  /** Directory of the worker. All paths here are absolute paths in the image. */
  readonly directory: string;
  /** The worker's handler or server. */
  readonly file: string;
  readonly kind: UserProgram["kind"];
  readonly hasData: boolean;
  /** Undefined if no packages are installed. */
  readonly packages: PackagesPlan | undefined;
}

export interface PackagesPlan {
  /** Image with the npm that installs the packages. */
  readonly image: string;
  /** Secrets that the installation reads. */
  readonly secretIds: readonly string[];
}

/** Directory of the packages' stage with what the installation reads, and the script in it that runs there. */
export const INSTALLATION = "/sv-installation";
export const INSTALL = "install.sh";
/** Directory of the packages' stage with the root of the image, in which the packages are. */
export const INSTALLED = "/sv-packages";

/** Instructions for a server. It has the service's 8 minutes to load its model before it counts as unhealthy. */
const SERVER_LINES = [
  'HEALTHCHECK --interval=15s --timeout=10s --start-period=480s --retries=3 CMD ["sv-worker-health"]',
  'CMD ["server"]',
];

/** The layers are in the order of how seldom they change: a push sends those that changed. */
export function workerDockerfile(plan: WorkerPlan): string {
  const { base, directory, file, kind, hasData, packages } = plan;
  const lines = [
    ...(packages === undefined ? [] : installation(packages)),
    `FROM ${base}`,
    ...(hasData ? [`COPY ${CONTEXT.data}/ /`] : []),
    ...(packages === undefined ? [] : [`COPY --from=packages ${INSTALLED}/ /`]),
    `COPY ${CONTEXT.code}/ /`,
    ...(directory === APP_DIRECTORY ? [] : [`WORKDIR ${word(directory)}`]),
    `ENV SV_HANDLER=${word(file)}`,
    ...(kind === "server" ? SERVER_LINES : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** The installation is one step: its layers would keep what it removes. */
function installation({ image, secretIds }: PackagesPlan): readonly string[] {
  const mounts = secretIds.map((id) => `--mount=type=secret,id=${id} `);
  return [
    `FROM ${image} AS packages`,
    "USER 0",
    `COPY ${CONTEXT.packages}/ ${INSTALLATION}/`,
    `RUN ${mounts.join("")}sh ${INSTALLATION}/${INSTALL}`,
    "",
  ];
}

/** The text as one word of a Dockerfile. */
function word(text: string): string {
  return JSON.stringify(text).replaceAll("$", String.raw`\$`);
}
