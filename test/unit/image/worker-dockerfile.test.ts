/** States the Dockerfile of a worker that has none of its own. */
import { expect, test } from "vitest";
import { workerDockerfile } from "../../../emulator/image/worker-dockerfile.ts";

test("without a lock file it is the base and a copy", () => {
  const plan = { base: "sv-base:1", handler: "/app/handler.js", npmImage: undefined };
  expect(workerDockerfile(plan)).toBe(
    'FROM sv-base:1\nCOPY root/ /\nENV SV_HANDLER="/app/handler.js"\n',
  );
});

test("with one, another image's npm installs the packages, and only they are taken from it", () => {
  const plan = { base: "sv-base:1", handler: "/app/handler.js", npmImage: "node:24" };
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
