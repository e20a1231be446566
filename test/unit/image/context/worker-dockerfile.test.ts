/** The generated Dockerfile of a worker. */
import { expect, test } from "vitest";
import { workerDockerfile } from "../../../../emulator/image/context/worker-dockerfile.ts";

const HANDLER = {
  base: "sv-base:1",
  directory: "/app",
  file: "/app/handler.js",
  kind: "handler",
} as const;

test("without a lock file the Dockerfile is the base and a copy", () => {
  expect(workerDockerfile({ ...HANDLER, packages: undefined })).toBe(
    'FROM sv-base:1\nCOPY root/ /\nENV SV_HANDLER="/app/handler.js"\n',
  );
});

test("with a lock file npm of another image installs the packages, and only they are copied", () => {
  const packages = { image: "node:24", directory: "/app", command: "npm ci" };
  expect(workerDockerfile({ ...HANDLER, packages })).toBe(`FROM node:24 AS packages
USER 0
WORKDIR /app
COPY packages/ ./
RUN npm ci
RUN sh ./sv-packages.sh && find . -name node_modules -prune -o -type f -exec rm -f {} +

FROM sv-base:1
COPY --from=packages /app/ /app/
COPY root/ /
ENV SV_HANDLER="/app/handler.js"
`);
});

test("in a workspace the lock file and the worker are in different directories of any name", () => {
  const packages = { image: "node:24", directory: "/app/it's", command: "npm ci" };
  const plan = { ...HANDLER, directory: "/app/a $b", packages };
  const text = workerDockerfile(plan);
  expect(text).toContain(String.raw`RUN cd '/app/it'\''s' && npm ci`);
  expect(text).toContain(String.raw`WORKDIR "/app/a \$b"`);
});

test("an image starts its server, which has the same time to become healthy as in the service", () => {
  const server = { file: "/app/server.js", kind: "server" } as const;
  const plan = { base: "b", directory: "/app", ...server, packages: undefined };
  expect(workerDockerfile(plan)).toBe(`FROM b
COPY root/ /
ENV SV_HANDLER="/app/server.js"
HEALTHCHECK --interval=15s --timeout=10s --start-period=480s --retries=3 CMD ["sv-worker-health"]
CMD ["server"]
`);
});
