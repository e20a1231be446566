/** The generated Dockerfile of a worker. */
import { expect, test } from "vitest";
import { workerDockerfile } from "../../../../emulator/image/context/worker-dockerfile.ts";

const HANDLER = {
  base: "sv-base:1",
  directory: "/app",
  file: "/app/handler.js",
  kind: "handler",
  hasData: false,
} as const;

test("without a lock file the Dockerfile is the base and a copy", () => {
  expect(workerDockerfile({ ...HANDLER, packages: undefined })).toBe(
    'FROM sv-base:1\nCOPY code/ /\nENV SV_HANDLER="/app/handler.js"\n',
  );
});

test("the layers are ordered by how seldom they change: data, packages, code", () => {
  const packages = { image: "node:24", secretIds: [] };
  expect(workerDockerfile({ ...HANDLER, hasData: true, packages })).toBe(`FROM node:24 AS packages
USER 0
COPY packages/ /sv-installation/
RUN sh /sv-installation/install.sh

FROM sv-base:1
COPY data/ /
COPY --from=packages /sv-packages/ /
COPY code/ /
ENV SV_HANDLER="/app/handler.js"
`);
});

test("secrets are mounted for the installation alone", () => {
  const packages = { image: "node:24", secretIds: ["sv.npmrc", "npmrc"] };
  expect(workerDockerfile({ ...HANDLER, packages })).toContain(
    "RUN --mount=type=secret,id=sv.npmrc --mount=type=secret,id=npmrc sh /sv-installation/install.sh\n",
  );
});

test("in a workspace the worker is in a directory of any name", () => {
  const text = workerDockerfile({ ...HANDLER, directory: "/app/a $b", packages: undefined });
  expect(text).toContain(String.raw`WORKDIR "/app/a \$b"`);
});

test("an image starts its server, which has the same time to become healthy as in the service", () => {
  const server = { base: "b", file: "/app/server.js", kind: "server" } as const;
  expect(workerDockerfile({ ...HANDLER, ...server, packages: undefined })).toBe(`FROM b
COPY code/ /
ENV SV_HANDLER="/app/server.js"
HEALTHCHECK --interval=15s --timeout=10s --start-period=480s --retries=3 CMD ["sv-worker-health"]
CMD ["server"]
`);
});
