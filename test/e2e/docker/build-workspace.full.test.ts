/** `sv-emulate build` of a package in a workspace of npm, pnpm or yarn: its image has linked and installed packages. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dockerIsMissing } from "../../setup/docker.ts";
import { whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { NpmScene } from "./npm-scene.ts";

const npmIsMissing = dockerIsMissing ?? (await whatIsMissingOfNpm("tests of images of workspaces"));

/** A version that supports weeks, unlike 2.0. */
const OWN_MS = "2.1.3";
const THEIR_MS = "2.0.0";

const json = (value: object): string => JSON.stringify(value);

/**
 * The files of a worker, of a library that it links to, and of a CommonJS library. Each package manager adds its
 * own files.
 */
function workspace(linked: string): Readonly<Record<string, string>> {
  return {
    "package.json": json({
      private: true,
      workspaces: ["packages/*"],
      scripts: { prepare: "node scripts/prepare.js" },
    }),
    "scripts/prepare.js": 'require("node:fs").readFileSync("packages/words/index.ts");\n',
    "packages/worker/package.json": json({
      ...{ name: "worker", version: "1.0.0", type: "module" },
      imports: { "#own-ms": "ms" },
      dependencies: { "@ours/words": linked, "old-words": linked, ms: OWN_MS },
    }),
    "packages/worker/handler.ts": `import { theirs } from "@ours/words";
import ms from "ms";
import again from "#own-ms";
import { lines } from "old-words";
import { defineHandler } from "sv-runtime";
export default defineHandler(() => ({
  own: ms("1w") ?? null,
  again: again("1w") ?? null,
  theirs: theirs("1w") ?? null,
  lines,
}));
`,
    "packages/words/package.json": json({
      ...{ name: "@ours/words", version: "1.0.0", type: "module", main: "index.ts" },
      dependencies: { ms: THEIR_MS },
    }),
    "packages/words/index.ts":
      'import ms from "ms";\nexport const theirs = (text: string): number | undefined => ms(text);\n',
    "packages/old-words/package.json": json({
      ...{ name: "old-words", version: "1.0.0" },
      dependencies: { ms: OWN_MS },
    }),
    "packages/old-words/index.js":
      'exports.lines = require("node:os").EOL === "\\n" ? require("ms")("2w") : 0;\n',
  };
}

const ANSWER = { own: 604_800_000, again: 604_800_000, theirs: null, lines: 1_209_600_000 };

describe.skipIf(npmIsMissing !== undefined)("sv-emulate build in a workspace", () => {
  let scene: NpmScene;

  beforeAll(async () => {
    scene = await NpmScene.start("workspace");
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  beforeEach(({ skip }) => skip(scene.isElsewhere, "its builds reach no registry of this machine"));

  test("of npm, has linked packages in the image, each with its own versions", async () => {
    await using files = await temporaryTree(workspace("*"));
    await scene.install(
      files.root,
      "npm",
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
    );
    const { code, stderr } = await scene.build(files.root, "packages/worker", "sv-test/npm-ws:1");
    expect(code, stderr).toBe(0);
    expect(await scene.outputOf("sv-test/npm-ws:1")).toEqual(ANSWER);
    const listed = ["run", "--rm", "--entrypoint", "find", "sv-test/npm-ws:1", "/app"];
    const names = (
      await scene.docker.ask(...listed, "-name", "node_modules", "-prune", "-o", "-type", "f")
    ).split("\n");
    expect(names.filter((name) => !/node_modules|\.sv-handler/u.test(name)).toSorted()).toEqual([
      "/app/packages/worker/handler.ts",
      "/app/packages/worker/package.json",
    ]);
  });

  test("of pnpm, has linked packages in the image, each with its own versions", async () => {
    await using files = await temporaryTree({
      ...workspace("workspace:*"),
      "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    });
    await scene.install(
      files.root,
      "npx",
      "--yes",
      "pnpm@10.34.8",
      "install",
      "--ignore-scripts",
      "--no-frozen-lockfile",
    );
    const { code, stderr } = await scene.build(files.root, "packages/worker", "sv-test/pnpm-ws:1");
    expect(code, stderr).toBe(0);
    expect(await scene.outputOf("sv-test/pnpm-ws:1")).toEqual(ANSWER);
  });

  test("of yarn, has linked packages in the image, each with its own versions", async () => {
    await using files = await temporaryTree(workspace("1.0.0"));
    await scene.install(files.root, "npx", "--yes", "yarn@1.22.22", "install", "--ignore-scripts");
    scene.addressContainers(files.root);
    const { code, stderr } = await scene.build(files.root, "packages/worker", "sv-test/yarn-ws:1");
    expect(code, stderr).toBe(0);
    expect(await scene.outputOf("sv-test/yarn-ws:1")).toEqual(ANSWER);
  });

  test("bundles a link of a package outside a workspace, also for a plain JavaScript handler", async () => {
    await using files = await temporaryTree({
      ...{ "my lib/package.json": json({ name: "lib", version: "1.0.0" }) },
      "my lib/index.js": 'exports.word = "linked";\n',
      "alone/package.json": json({ type: "module", dependencies: { lib: "file:../my lib" } }),
      "alone/handler.js": 'import { word } from "lib";\nexport default () => word;\n',
    });
    await scene.install(
      files.root,
      "npm",
      "install",
      "--prefix",
      "alone",
      "--no-audit",
      "--no-fund",
    );
    const { code, stderr } = await scene.build(files.root, "alone", "sv-test/alone:1");
    expect(code, stderr).toBe(0);
    expect(await scene.outputOf("sv-test/alone:1")).toBe("linked");
  });

  test("names a package that would be missing in the image, and the remedy", async () => {
    const handler = 'import ms from "ms";\nexport default () => ms(1);\n';
    await using files = await temporaryTree({
      "dev/package.json": json({ name: "dev", devDependencies: { ms: OWN_MS } }),
      "dev/handler.ts": handler,
      "unlocked/handler.mjs": handler,
      "native/handler.cjs":
        'const a = require("../addon.node");\nmodule.exports = () => a.answer();\n',
      "addon.node": "",
      "own/handler.ts": 'import { runJob } from "sv-runtime/testing";\nexport default runJob;\n',
    });
    await scene.install(files.root, "npm", "install", "--prefix", "dev", "--no-audit", "--no-fund");
    const said = async (target: string): Promise<string> => {
      const { code, stdout, stderr } = await scene.build(files.root, target, "sv-test/lacking:1");
      expect({ code, stdout }, stderr).toEqual({ code: 5, stdout: "" });
      return stderr;
    };
    expect(await said("dev")).toContain(
      'would lack ms, which handler.ts imports: package-lock.json installs it for no "dependencies" of package.json; add it there',
    );
    expect(await said("unlocked")).toMatch(
      /would lack ms, .* no lock file says how to install it/u,
    );
    expect(await said("native")).toMatch(/would lack \.\.\/addon\.node, .* cannot be bundled/u);
    expect(await said("own")).toMatch(
      /would lack sv-runtime\/testing, .* sv-runtime\/client alone/u,
    );
  });
});
