/** The Dockerfile of a worker whose directory has none of its own. */

/** Where a handler's directory lies in its image. */
export const APP_DIRECTORY = "/app";

/**
 * In the build context: the root of the image with the handler's directory in it, which keeps the time of that directory
 * the same, and what npm needs to install its packages.
 */
export const CONTEXT = { root: "root", packages: "packages" } as const;

export interface WorkerPlan {
  readonly base: string;
  /** What the worker is given as its handler; an absolute path in the image. */
  readonly handler: string;
  /** The image whose npm installs the packages of the lock file; undefined without one. */
  readonly npmImage: string | undefined;
}

export function workerDockerfile({ base, handler, npmImage }: WorkerPlan): string {
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
    `ENV SV_HANDLER=${JSON.stringify(handler)}`,
  ];
  return `${lines.join("\n")}\n`;
}
