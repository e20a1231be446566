/** Files of a starter in a new project, and requirements of `sv-emulate init` on starters. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { configSchema } from "../../../emulator/cli/config/config-schema.ts";
import {
  readOwnPackage,
  versionsFor,
  type OwnPackage,
} from "../../../emulator/starter/own-package.ts";
import { packagesOf, projectFiles } from "../../../emulator/starter/project-files.ts";
import { readStarters, STARTER_NAMES } from "../../../emulator/starter/starters.ts";

const own = await readOwnPackage();
const starters = await readStarters(own.root);
const textsOf = (name: (typeof STARTER_NAMES)[number]) => starters.get(name) ?? new Map();

test("a project has its own name and versions instead of the starter's", () => {
  const manifest = {
    name: "my-endpoint",
    scripts: { build: "build my-endpoint" },
    dependencies: { a: "*" },
    devDependencies: { b: "*" },
  };
  const texts = new Map([
    ["package.json", JSON.stringify(manifest)],
    ["README.md", "# my-endpoint\n\ncurl my-endpoint"],
  ]);
  const versions = new Map([
    ["a", "1.2.3"],
    ["b", "file:../b"],
  ]);
  const files = projectFiles(texts, { name: "@me/greeter", versions });
  expect(files.get("README.md")).toBe("# greeter\n\ncurl greeter");
  expect(JSON.parse(files.get("package.json") ?? "")).toEqual({
    name: "@me/greeter",
    scripts: { build: "build greeter" },
    dependencies: { a: "1.2.3" },
    devDependencies: { b: "file:../b" },
  });
  expect(() => projectFiles(texts, { name: "g", versions: new Map() })).toThrow("depends on a");
});

describe.each(STARTER_NAMES)("the starter %s", (name) => {
  const files = projectFiles(textsOf(name), { name: "greeter", versions: versionsFor(own, "/p") });

  test("has the versions that we test with, and a config that serves it", () => {
    const manifest = JSON.parse(files.get("package.json") ?? "") as {
      readonly dependencies: object;
      readonly devDependencies: object;
    };
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(Object.fromEntries(versionsFor(own, "/p"))).toMatchObject(versions);
    // The base image contains it, so it is not installed for production.
    expect(manifest.devDependencies).toHaveProperty("sv-runtime");
    const config: unknown = JSON.parse(files.get("sv.config.json") ?? "");
    expect(Object.keys(configSchema.parse(config).endpoints)).toEqual(["greeter"]);
  });

  test("has a page about its commands", () => {
    const headings = [...(files.get("README.md") ?? "").matchAll(/^## (.*)$/gmu)];
    expect(headings.map(([, heading]) => heading)).toEqual([
      ...["Run", "Call", "Test", "Build", "Ship", "More"],
    ]);
  });

  test("keeps files of this machine out of Git and its image", () => {
    expect(files.get(".gitignore")).toMatch(/^node_modules\/$/mu);
    expect(files.get(".gitignore")).toMatch(/^\.sv\/$/mu);
    for (const line of ["node_modules", ".sv", "**/.env", ".git"]) {
      expect(files.get(".dockerignore")?.split("\n")).toContain(line);
    }
  });

  test("is built on the base image, with the npm of its Node", async () => {
    const base = await readFile(path.join(own.root, "Dockerfile.base"), "utf8");
    const [line = ""] = /^ARG NODE_IMAGE=.+$/mu.exec(base) ?? [];
    const dockerfile = files.get("Dockerfile")?.split("\n");
    expect(dockerfile).toContain(line);
    expect(dockerfile).toContain("FROM sv-base");
  });
});

test("the dependencies of a project are known by name", () => {
  expect(packagesOf(textsOf("image-to-s3"))).toEqual(
    expect.arrayContaining(["sharp", "zod", "sv-runtime", "vitest"]),
  );
});

test("a project depends on the version that created it, or on the clone or archive that did", () => {
  const at = (root: string, archive?: string): OwnPackage => {
    return { ...own, root, version: "1.2.3", archive };
  };
  const version = (...where: Parameters<typeof at>) =>
    versionsFor(at(...where), "/home/p").get("sv-runtime");
  expect(version("/x/node_modules/sv-runtime")).toBe("1.2.3");
  expect(version("/x/node_modules/sv-runtime", "/home/x.tgz")).toBe("file:../x.tgz");
  expect(version("/home/sv-runtime")).toBe("file:../sv-runtime");
});
