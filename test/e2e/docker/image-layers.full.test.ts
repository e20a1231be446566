/** The layers of a generated image: what a push sends after a change, equal images of equal files, and the size of the base. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dockerIsMissing } from "../../setup/docker.ts";
import { whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { NpmScene } from "./npm-scene.ts";
import { smallRegistry } from "./small-registry.ts";

const npmIsMissing = dockerIsMissing ?? (await whatIsMissingOfNpm("tests of layers of images"));

const MODEL_BYTES = 200_000_000;
const PUSH_MAX_BYTES = 200_000;
const BASE_MAX_BYTES = 4_000_000;

const HANDLER = "import n from 'is-number';\nexport default () => n(1);\n";
const PROJECT = {
  "package.json": JSON.stringify({ private: true, dependencies: { "is-number": "7.0.0" } }),
  "handler.ts": HANDLER,
  "words.txt": "one",
  "weights/small.onnx": "model",
};

const BUILDERS = [
  { builder: "BuildKit", value: "1" },
  { builder: "the classic builder", value: "0" },
];

describe.skipIf(npmIsMissing !== undefined)("an image of sv-emulate build", () => {
  let scene: NpmScene;

  beforeAll(async () => {
    scene = await NpmScene.start("layers");
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  beforeEach(({ skip }) => skip(scene.isElsewhere, "its builds reach no registry of this machine"));

  async function project(): Promise<TemporaryTree> {
    const files = await temporaryTree(PROJECT);
    await scene.install(files.root, "npm", "install", "--no-audit", "--no-fund");
    return files;
  }

  async function built(folder: string, tag: string, value: string, ...more: string[]) {
    const env = { DOCKER_BUILDKIT: value };
    const { code, stderr } = await scene.build(folder, ".", tag, env, ...more);
    expect(code, stderr).toBe(0);
    return { stderr, id: await scene.docker.ask("image", "inspect", "-f", "{{.Id}}", tag) };
  }

  test.each(BUILDERS)(
    "sends kilobytes after a changed line, built by $builder",
    async ({ value }) => {
      await using files = await project();
      fs.writeFileSync(files.path("weights/large.bin"), randomBytes(MODEL_BYTES));
      await using registry = await smallRegistry();
      const tag = `${registry.address}/layers-${value}:1`;
      const before = await built(files.root, tag, value, "--push");
      const first = registry.receivedBytes();
      expect(first).toBeGreaterThan(MODEL_BYTES);
      fs.writeFileSync(files.path("handler.ts"), HANDLER.replace("n(1)", "n(2)"));
      const after = await built(files.root, tag, value, "--push");
      expect(registry.receivedBytes() - first).toBeLessThan(PUSH_MAX_BYTES);
      // The engine of all tests has little room for such models.
      await scene.docker.cli(["rmi", "-f", after.id, before.id]);
      await scene.docker.cli(["builder", "prune", "-af"]);
    },
  );

  test.each(BUILDERS)(
    "is equal for equal files without a cache, built by $builder",
    async ({ value }) => {
      await using files = await project();
      await using copy = await temporaryTree({});
      // The name of the directory is in the image's labels.
      const folder = copy.path(path.basename(files.root));
      fs.cpSync(files.root, folder, { recursive: true });
      fs.chmodSync(path.join(folder, "words.txt"), 0o600);
      const tag = `sv-test/equal-${value}:1`;
      const { id } = await built(files.root, tag, value);
      await scene.docker.ask("rmi", tag);
      await scene.docker.cli(["rmi", `sv-stages:sv-test-equal-${value}-1-1`]);
      await scene.docker.ask("builder", "prune", "-af");
      const again = await built(folder, tag, value);
      expect(again.id).toBe(id);
      expect(await scene.outputOf(tag)).toBe(true);
      const created = await scene.docker.ask("image", "inspect", "-f", "{{.Created}}", tag);
      expect(created).toBe("1980-01-01T00:00:00Z");
    },
  );

  test("has a base that adds little, and says what to do with TypeScript that is not bundled", async () => {
    await using files = await temporaryTree({
      ...PROJECT,
      "handler.ts": "export default () => 1;\n",
    });
    const tag = "sv-test/small-base:1";
    const { stderr } = await built(files.root, tag, "1");
    const [, name = ""] = /^base (\S+) /mu.exec(stderr) ?? [];
    const [, beneath = ""] = /^\S+ .* on (\S+)$/mu.exec(stderr) ?? [];
    const size = async (image: string) =>
      Number(await scene.docker.ask("image", "inspect", "-f", "{{.Size}}", image));
    expect((await size(name)) - (await size(beneath))).toBeLessThan(BASE_MAX_BYTES);
    const run = ["run", "--rm", tag, "run", "/app/handler.ts", "--input", "{}"];
    const { code, stdout, stderr: said } = await scene.docker.cli(run);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(said).toContain("There is no bundler here for TypeScript");
  });
});
