/** The files that install scripts get in the build of an image. */
import { expect, test } from "vitest";
import { findLock } from "../../../../emulator/image/context/lock-file.ts";
import { packageSources } from "../../../../emulator/image/context/package-sources.ts";
import { placesFor } from "../../../../emulator/image/context/worker-packages.ts";
import { temporaryTree, type TemporaryTree } from "../../../temporary-tree.ts";

const json = (value: object): string => JSON.stringify(value);
const LOCK = json({ packages: { "": {}, "node_modules/made": { hasInstallScript: true } } });
const PROJECT = {
  "package-lock.json": LOCK,
  "handler.ts": "",
  "prisma/schema.prisma": "",
  "scripts/make.js": "",
  ".env": "SECRET=1",
  "node_modules/made/index.js": "",
};

async function sourcesOf(files: TemporaryTree, member = "") {
  const lock = await findLock(files.path(member || "."));
  if (lock === undefined) throw new Error("there is no lock file");
  const inputs = [files.path("packages/lib/index.ts")];
  const { parts, command } = await packageSources(lock, inputs, placesFor(files.root, lock));
  const copied = parts.directories.flatMap(({ prefix, paths }) =>
    [...(paths ?? [])].filter((file) => file.includes(".")).map((file) => `${prefix}/${file}`),
  );
  const manifests = parts.files.filter(({ path }) => path.endsWith("package.json"));
  const contents = manifests.map(({ path, content }) => [path, String(content)] as const);
  return { command, copied: copied.toSorted(), manifests: Object.fromEntries(contents) };
}

test("scripts of installed packages get the files that generators read, without modules and secrets", async () => {
  await using files = await temporaryTree({ ...PROJECT, "package.json": "{}" });
  const { copied, command } = await sourcesOf(files);
  expect(copied).toEqual(["packages/app/prisma/schema.prisma"]);
  expect(command).toMatch(/^npm ci --omit=dev/u);
});

test("without any install script no file of the project is needed", async () => {
  const lock = json({ packages: { "": {}, "node_modules/a": {} } });
  await using files = await temporaryTree({
    ...{ ...PROJECT, "package.json": json({ scripts: { test: "x" } }) },
    "package-lock.json": lock,
  });
  const { copied, manifests } = await sourcesOf(files);
  expect(copied).toEqual([]);
  expect(manifests["packages/app/package.json"]).toBe("{}");
});

test("an install script of the package itself gets all files but secrets, with development packages", async () => {
  const scripts = { postinstall: "node scripts/make.js", "make:it": "x" };
  await using files = await temporaryTree({ ...PROJECT, "package.json": json({ scripts }) });
  const { copied, command, manifests } = await sourcesOf(files);
  expect(copied).toEqual([
    "packages/app/handler.ts",
    "packages/app/prisma/schema.prisma",
    "packages/app/scripts/make.js",
  ]);
  expect(command).toMatch(/^npm ci --no-audit/u);
  const kept = JSON.parse(manifests["packages/app/package.json"] ?? "") as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(kept.scripts["make:it"]).toBe("x");
  expect(kept.scripts["postinstall"]).toMatch(
    /\(node scripts\/make\.js\) \|\| \(echo '.*the script "postinstall" of package\.json fails/u,
  );
});

test.each(["patch-package", "prisma generate --schema=prisma/schema.prisma", "husky"])(
  "a changed module does not repeat an installation with the script %s",
  async (postinstall) => {
    const own = json({ scripts: { postinstall } });
    await using files = await temporaryTree({ ...PROJECT, "package.json": own });
    expect((await sourcesOf(files)).copied).toEqual(["packages/app/prisma/schema.prisma"]);
  },
);

test("in a workspace the scripts of the worker's packages run, and no others", async () => {
  const own = json({ scripts: { prepare: "tsc" } });
  const member = (name: string) => ({ [`packages/${name}/package.json`]: own });
  await using files = await temporaryTree({
    ...{ "package.json": "{}", "packages/lib/index.ts": "", "packages/web/app.ts": "" },
    ...{ ...member("worker"), ...member("lib"), ...member("web") },
    "package-lock.json": json({
      packages: { "": {}, "packages/worker": {}, "packages/lib": {}, "packages/web": {} },
    }),
  });
  const { manifests, copied } = await sourcesOf(files, "packages/worker");
  expect(copied).toEqual(["packages/app/packages/lib/index.ts"]);
  const running = Object.entries(manifests).filter(([, text]) => text.includes("prepare"));
  expect(running.map(([path]) => path).toSorted()).toEqual([
    "packages/app/packages/lib/package.json",
    "packages/app/packages/worker/package.json",
  ]);
});
