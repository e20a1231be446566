/** Lock files: what their installation reads, and which packages of a platform they lack. */
import { expect, test } from "vitest";
import { findLock, type Lock } from "../../../../emulator/image/context/lock-file.ts";
import { checkPlatform } from "../../../../emulator/image/context/lock-platform.ts";
import { temporaryTree, type TemporaryTree } from "../../../temporary-tree.ts";

const json = (value: object): string => JSON.stringify(value);

async function lockOf(files: TemporaryTree, directory = "."): Promise<Lock> {
  const lock = await findLock(files.path(directory));
  if (lock === undefined) throw new Error("there is no lock file");
  return lock;
}

const WHOLE = { isWhole: true, withRoot: false };

test("pnpm reads patches of any directory that its settings name", async () => {
  await using files = await temporaryTree({
    "package.json": "{}",
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters:\n  .:\n    a: b\n",
    "pnpm-workspace.yaml": "patchedDependencies:\n  is-number@7.0.0: mine/is-number.patch\n",
    "mine/is-number.patch": "",
    "mine/other.txt": "",
  });
  expect((await lockOf(files)).files).toEqual([
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "mine/is-number.patch",
  ]);
});

test("yarn reads archives and patches that a package.json names", async () => {
  await using files = await temporaryTree({
    "package.json": json({ workspaces: ["packages/*"] }),
    "yarn.lock": "# yarn lockfile v1\n",
    "packages/a/package.json": json({
      dependencies: { one: "file:../../one-1.0.0.tgz" },
      resolutions: { two: "patch:two@npm%3A1.0.0#~/patches/two.patch" },
    }),
    "one-1.0.0.tgz": "",
    "patches/two.patch": "",
  });
  const { files: read } = await lockOf(files, "packages/a");
  expect(read).toEqual(["yarn.lock", "one-1.0.0.tgz", "patches/two.patch"]);
});

test("npm's development packages are known, and settings are no files that may be copied", async () => {
  await using files = await temporaryTree({
    "package.json": "{}",
    ".npmrc": "//r/:_authToken=secret",
    "package-lock.json": json({
      packages: { "": {}, "node_modules/a": { dev: true }, "node_modules/b": {} },
    }),
  });
  const lock = await lockOf(files);
  expect([lock.files, lock.development]).toEqual([["package-lock.json"], ["node_modules/a"]]);
});

test.each([
  ["package-lock.json", json({ packages: { "": {} } }), /^npm ci --no-audit .* && \{ while /u],
  [
    "pnpm-lock.yaml",
    "importers:\n  .:\n",
    /pnpm@\S+ install --frozen-lockfile && .* --prod --off/u,
  ],
  ["yarn.lock", "# yarn lockfile v1\n", /yarn@\S+ install --frozen-lockfile --non-interactive$/u],
  [
    "yarn.lock",
    "__metadata:\n",
    / yarn install && export YARN_ENABLE_SCRIPTS=false .* focus --prod/u,
  ],
])("development packages of a %s are there for scripts", async (name, text, command) => {
  await using files = await temporaryTree({ "package.json": "{}", [name]: text });
  const lock = await lockOf(files);
  expect(lock.command(WHOLE)).toMatch(command);
  expect(lock.command({ isWhole: false, withRoot: false })).toMatch(/--omit=dev|--prod/u);
});

/** The lock file that npm writes on a Mac with packages of the Mac only. */
const MAC = {
  packages: {
    "": { dependencies: { sharp: "0.34.3", rollup: "4.0.0" } },
    "node_modules/sharp": {
      optionalDependencies: {
        "@img/sharp-darwin-arm64": "0.34.3",
        "@img/sharp-linux-x64": "0.34.3",
        "@img/sharp-linux-arm64": "0.34.3",
        "@img/sharp-linuxmusl-x64": "0.34.3",
      },
    },
    "node_modules/@img/sharp-darwin-arm64": {},
    "node_modules/rollup": {
      dev: true,
      optionalDependencies: { "@rollup/rollup-linux-x64-gnu": "4.0.0" },
    },
  },
};

test("a lock file without a platform's packages is refused with the cure", async () => {
  await using files = await temporaryTree({ "package.json": "{}", "package-lock.json": json(MAC) });
  const lock = await lockOf(files);
  expect(() => checkPlatform(lock, "x64")).toThrow(
    /lacks packages for linux-x64, .*: @img\/sharp-linux-x64 of sharp\. .* rm -rf node_modules package-lock\.json && npm install$/u,
  );
  expect(() => checkPlatform(lock, "arm64")).toThrow(/@img\/sharp-linux-arm64 of sharp\./u);
});

test("a lock file needs the platform's packages only, wherever they lie", async () => {
  const packages = { ...MAC.packages, "node_modules/sharp/node_modules/@img/sharp-linux-x64": {} };
  await using files = await temporaryTree({
    "package.json": "{}",
    "package-lock.json": json({ packages }),
  });
  const lock = await lockOf(files);
  expect(() => checkPlatform(lock, "x64")).not.toThrow();
});
