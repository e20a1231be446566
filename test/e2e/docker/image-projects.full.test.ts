/** Projects as people have them are images that answer what they answer at home, or the build fails with the cause. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dockerIsMissing } from "../../setup/docker.ts";
import { whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { type ImageProject, PROJECTS } from "./image-projects.ts";
import { NpmScene } from "./npm-scene.ts";

const npmIsMissing = dockerIsMissing ?? (await whatIsMissingOfNpm("tests of images of projects"));

/** Projects that are built by the classic builder, too: each kind of stage and of failure. */
const CLASSIC = new Set([
  "with a variable in the settings of npm",
  "patched by patch-package",
  "with such a generator and yarn",
  "with a script that fails in the image",
  "in a workspace of pnpm",
]);

const CASES = Object.entries(PROJECTS).flatMap(([name, project]) => [
  { name, project, builder: "BuildKit" },
  ...(CLASSIC.has(name) ? [{ name, project, builder: "the classic builder" }] : []),
]);

describe.skipIf(npmIsMissing !== undefined)("a project", () => {
  let scene: NpmScene;

  beforeAll(async () => {
    scene = await NpmScene.start("projects");
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  beforeEach(({ skip }) => skip(scene.isElsewhere, "its builds reach no registry of this machine"));

  async function installAtHome(folder: string, { install, afterwards }: ImageProject) {
    for (const [program = "", ...args] of install) await scene.install(folder, program, ...args);
    if (fs.existsSync(path.join(folder, "yarn.lock"))) scene.addressContainers(folder);
    if (afterwards === undefined) return;
    const lock = fs.readFileSync(path.join(folder, "package-lock.json"), "utf8");
    for (const [file, text] of Object.entries(afterwards({ "package-lock.json": lock }))) {
      fs.writeFileSync(path.join(folder, file), text);
    }
  }

  test.each(CASES)("$name, built by $builder", async ({ name, project, builder }) => {
    await using files = await temporaryTree(project.files);
    await installAtHome(files.root, project);
    const target = project.worker ?? ".";
    const tag = `sv-test/project-${Object.keys(PROJECTS).indexOf(name)}:1`;
    const env = { NPM_TOKEN: "token", DOCKER_BUILDKIT: builder === "BuildKit" ? "1" : "0" };
    const { code, stderr } = await scene.build(files.root, target, tag, env);
    if (project.fails !== undefined) {
      expect(code, stderr).toBe(5);
      expect(stderr).toMatch(project.fails);
      return;
    }
    expect(code, stderr).toBe(0);
    const [handler = ""] = fs
      .readdirSync(files.path(target))
      .filter((file) => file.startsWith("handler."));
    const atHome = await scene.outputAtHome(files.path(target), handler);
    expect(await scene.outputOf(tag)).toEqual(atHome);
    if (name.includes("patch")) expect(atHome).toEqual({ n: "patched" });
  });
});
