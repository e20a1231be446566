/** The lock file must install everywhere: with a registry that mirrors only some platforms, npm omits the others. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "../../..");
const lockShape = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const lockText = fs.readFileSync(path.join(root, "package-lock.json"), "utf8");
const { packages } = lockShape.parse(JSON.parse(lockText));

test("the lock file has an entry for each optional package of each platform, as npm ci demands", () => {
  const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined &&
        packages[`${parent}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(packages)).toContain("node_modules/@esbuild/linux-x64");
});

test("the lock file has no address, so npm's own registry setting applies", () => {
  const addressed = Object.values(packages).filter((entry) => entry.resolved !== undefined);
  expect(addressed).toEqual([]);
});

test("package.json pins every dependency to one exact version", () => {
  const manifestShape = z.object({
    dependencies: z.never().optional(),
    optionalDependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  });
  const text = fs.readFileSync(path.join(root, "package.json"), "utf8");
  const { optionalDependencies, devDependencies } = manifestShape.parse(JSON.parse(text));
  for (const [name, version] of Object.entries({ ...optionalDependencies, ...devDependencies })) {
    expect.soft(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  }
  // The programs of the packaged bundler, for each platform that it supports.
  expect(optionalDependencies).toEqual(packages["node_modules/esbuild"]?.optionalDependencies);
});
