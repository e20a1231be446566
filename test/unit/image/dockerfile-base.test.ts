/** Dockerfile.base works with the classic builder, and has the pins and the version of the package. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), "utf8");
const dockerfile = await read("Dockerfile.base");

test("no instruction in it needs BuildKit", () => {
  const buildKit = /^# *syntax=|<<|--mount|--(?:chmod|link|exclude|parents|network|security)\b/mu;
  expect(dockerfile).not.toMatch(buildKit);
  for (const line of ["# syntax=docker/dockerfile:1", "RUN --mount=type=cache a", "COPY <<E /a"]) {
    expect(line).toMatch(buildKit);
  }
});

test("its base images are pinned to a version", () => {
  const pins = [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gmu)].map(([, name, image]) => [
    name,
    image,
  ]);
  expect(pins).toEqual([
    ["BASE_IMAGE", expect.stringMatching(/:\d+\.\d+\.\d+-/u)],
    ["NODE_IMAGE", expect.stringMatching(/^node:24\.\d+\.\d+-/u)],
  ]);
});

test("its version is the package's version", async () => {
  const { version } = JSON.parse(await read("package.json")) as { version: string };
  expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
});

test("BuildKit has no warnings for it", () => {
  // Its rules LegacyKeyValueFormat, MaintainerDeprecated, FromAsCasing and JSONArgsRecommended.
  const deprecated =
    /^MAINTAINER\b|^(?:ENV|LABEL) [^\s=]+ |^FROM \S+ as |^(?:CMD|ENTRYPOINT) (?!\[)/mu;
  expect(dockerfile).not.toMatch(deprecated);
  for (const line of ["ENV A b", "MAINTAINER me", "FROM a as b", "CMD node a.js"]) {
    expect(line).toMatch(deprecated);
  }
});
