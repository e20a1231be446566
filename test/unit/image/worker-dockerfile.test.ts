/** States the Dockerfile of a worker that has none of its own. */
import { expect, test } from "vitest";
import { workerDockerfile } from "../../../emulator/image/worker-dockerfile.ts";

const HANDLER = { file: "/app/handler.js", kind: "handler" } as const;

test("without a lock file it is the base and a copy", () => {
  const plan = { base: "sv-base:1", ...HANDLER, npmImage: undefined };
  expect(workerDockerfile(plan)).toBe(
    'FROM sv-base:1\nCOPY root/ /\nENV SV_HANDLER="/app/handler.js"\n',
  );
});

test("with one, another image's npm installs the packages, and only they are taken from it", () => {
  const plan = { base: "sv-base:1", ...HANDLER, npmImage: "node:24" };
  expect(workerDockerfile(plan)).toBe(`FROM node:24 AS packages
WORKDIR /app
COPY packages/ ./
RUN npm ci --omit=dev --no-audit --no-fund --no-update-notifier && mkdir -p node_modules

FROM sv-base:1
COPY --from=packages /app/node_modules ./node_modules
COPY root/ /
ENV SV_HANDLER="/app/handler.js"
`);
});

test("a server is what the image starts, and has as long to become healthy as the service gives it", () => {
  const plan = { base: "b", file: "/app/server.js", kind: "server", npmImage: undefined } as const;
  expect(workerDockerfile(plan)).toBe(`FROM b
COPY root/ /
ENV SV_HANDLER="/app/server.js"
HEALTHCHECK --interval=15s --timeout=10s --start-period=480s --retries=3 CMD ["sv-worker-health"]
CMD ["server"]
`);
});
