/** The Dockerfile of a worker whose directory has none of its own. */

import type { UserProgram } from "./user-program.ts";

/** Where a handler's directory lies in its image. */
export const APP_DIRECTORY = "/app";

/**
 * In the build context: the root of the image with the handler's directory in it, which keeps the time of that directory
 * the same, and what npm needs to install its packages.
 */
export const CONTEXT = { root: "root", packages: "packages" } as const;

export interface WorkerPlan {
  readonly base: string;
  /** What the worker is given as its handler or server; an absolute path in the image. */
  readonly file: string;
  readonly kind: UserProgram["kind"];
  /** The image whose npm installs the packages of the lock file; undefined without one. */
  readonly npmImage: string | undefined;
}

/** A server that loads its model is not yet ill: it has as long as the service gives it, 8 minutes, unless it answers before. */
const SERVER_LINES = [
  'HEALTHCHECK --interval=15s --timeout=10s --start-period=480s --retries=3 CMD ["sv-worker-health"]',
  'CMD ["server"]',
];

export function workerDockerfile({ base, file, kind, npmImage }: WorkerPlan): string {
  const install = [
    `FROM ${npmImage} AS packages`,
    `WORKDIR ${APP_DIRECTORY}`,
    `COPY ${CONTEXT.packages}/ ./`,
    "RUN npm ci --omit=dev --no-audit --no-fund --no-update-notifier && mkdir -p node_modules",
    "",
  ];
  const copy = `COPY --from=packages ${APP_DIRECTORY}/node_modules ./node_modules`;
  const lines = [
    ...(npmImage === undefined ? [] : install),
    `FROM ${base}`,
    ...(npmImage === undefined ? [] : [copy]),
    `COPY ${CONTEXT.root}/ /`,
    `ENV SV_HANDLER=${JSON.stringify(file)}`,
    ...(kind === "server" ? SERVER_LINES : []),
  ];
  return `${lines.join("\n")}\n`;
}
