/** Programs with caches of models under the least privileges, with a volume and without, and programs that meet a limit. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeExit } from "../../../emulator/engine/workers/describe-exit.ts";
import { orderOf, templateNamed } from "../../contract/launcher/subject.ts";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { pythonImage } from "../../setup/docker-python-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { pythonIsMissing } from "../../setup/python.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { openLauncher } from "./open-launcher.ts";

const program = path.resolve(import.meta.dirname, "../../fixtures/caches/program.py");

describe.skipIf((dockerIsMissing ?? pythonIsMissing) !== undefined)("a container", () => {
  let docker: TestDocker;
  let image: string;

  beforeAll(async () => {
    docker = await startDocker();
    image = await pythonImage(docker, `sv-test/caches:${process.pid}`, program);
  });
  afterAll(async () => docker[Symbol.asyncDispose]());

  interface Wish {
    readonly env?: Readonly<Record<string, string>>;
    readonly image?: string;
    readonly volume?: string;
    readonly command?: readonly string[];
  }

  /** How a program of the image ended, and what was written. */
  async function run({ env = {}, volume, command = [], ...wish }: Wish) {
    await using opened = await openLauncher(docker, { volume });
    const template = {
      ...{ ...templateNamed(wish.image ?? image), env },
      dockerStartCmd: [...command],
    };
    const { exited, running } = opened.launcher.launch(orderOf(template));
    const exit = await exited;
    void running;
    const lines = opened.lines.map((line) => line.replace(/^\S+: /u, ""));
    return { end: describeExit(exit), lines, said: opened.said };
  }

  const places = (home: string, hub: string) => [
    `hub ${home}/.cache/huggingface ${hub}`,
    `checkpoints ${home}/.cache/torch`,
    `functions ${home}/.cache/numba`,
    `settings ${home}/.config/matplotlib`,
    "loaders /dev/shm",
    "kernel /tmp/torchinductor_node/_heapq.so",
  ];
  const EXEC = { SV_CONTAINER_TMP_EXEC: "on" };

  test("without a volume has its caches in /tmp", async () => {
    const { end, lines } = await run({ env: EXEC });
    expect([end, ...lines]).toEqual(["ended with code 0", ...places("/tmp", "miss")]);
  });

  test("with a volume has its caches there, and finds them again", async ({ skip }) => {
    skip(await docker.isElsewhere(), "an engine elsewhere does not see volumes");
    using directory = temporaryDirectory();
    const volume = directory.path;
    if (process.getuid?.() === 0) fs.chownSync(volume, 1_000, 1_000);
    for (const hub of ["miss", "hit"]) {
      const { end, lines } = await run({ env: EXEC, volume });
      expect([end, ...lines]).toEqual(["ended with code 0", ...places("/runpod-volume", hub)]);
    }
    expect(fs.existsSync(path.join(volume, ".cache/torch/hub/checkpoints/tiny.pth"))).toBe(true);
  });

  test("that sets its own places gets these", async () => {
    const env = { ...EXEC, HF_HOME: "/tmp/models", HOME: "/tmp/me", XDG_CACHE_HOME: "/tmp/c" };
    const { lines } = await run({ env });
    expect(lines).toEqual(
      expect.arrayContaining(["hub /tmp/models miss", "checkpoints /tmp/c/torch"]),
    );
    expect(lines).toContain("settings /tmp/me/.config/matplotlib");
  });

  test("that loads a library from /tmp fails with the name of the setting", async () => {
    const { end, said } = await run({});
    expect(end).toMatch(
      /^ended with code 1; programs and libraries in \/tmp.*SV_CONTAINER_TMP_EXEC=on/u,
    );
    expect(said.at(-1)).toContain("SV_CONTAINER_TMP_EXEC=on");
  });

  const shell = (script: string, env: Wish["env"] = {}) =>
    run({ image: plain, command: ["/bin/sh", "-c", script], env });
  let plain: string;
  beforeAll(async () => {
    plain = await nodeImage(docker);
  });

  test.each([
    ["mkdir /models", {}, "its root is read-only"],
    ["cp /bin/sh /tmp/tool; /tmp/tool -c true", {}, "SV_CONTAINER_TMP_EXEC=on"],
    [
      "for n in 1 2 3 4 5 6 7 8 9; do sleep 5 & done; wait",
      { SV_CONTAINER_PIDS: "5" },
      "it may have 5 processes and threads",
    ],
    [
      `node -e 'require("fs").writeFileSync("/dev/shm/x", Buffer.alloc(4e6))'`,
      { SV_CONTAINER_SHM: "1m" },
      "/dev/shm 1 MB",
    ],
    [
      `node -e 'require("fs").writeFileSync("/tmp/x", Buffer.alloc(4e6))'`,
      { SV_CONTAINER_TMP: "1m" },
      "/tmp holds 1 MB",
    ],
  ])("that meets a limit names it: %s", async (script, env, limit) => {
    expect((await shell(`${script} || exit 1`, env)).end).toContain(limit);
  });

  test("runs on the chosen platform, and another one is pulled", async () => {
    const [own, other] = process.arch === "arm64" ? ["arm64", "amd64"] : ["amd64", "arm64"];
    const chosen = await shell("echo here", { SV_CONTAINER_PLATFORM: `linux/${own}` });
    expect(chosen).toMatchObject({ end: "ended with code 0", lines: ["here"] });
    const absent = await shell("echo here", { SV_CONTAINER_PLATFORM: `linux/${other}` });
    expect(absent.end).toContain(`for linux/${other} is not on this machine and cannot be pulled`);
  });

  test("for another processor is told as such, with both platforms", async () => {
    const architecture = process.arch === "arm64" ? "amd64" : "arm64";
    const name = await foreignImage(docker, architecture);
    const { end, said } = await run({ image: name });
    const mismatch = `the image ${name} wants linux/${architecture}, this engine is linux/`;
    expect(said.join("\n")).toContain(mismatch);
    const told = `^could not be started: ${mismatch}.*xec format error; .*SV_CONTAINER_PLATFORM`;
    expect(end).toMatch(new RegExp(told, "u"));
  });
});

/** An image for another architecture with one program, which no kernel runs. */
async function foreignImage(docker: TestDocker, architecture: string): Promise<string> {
  using context = temporaryDirectory();
  const at = (file: string) => path.join(context.path, file);
  const name = `sv-test/foreign:${process.pid}`;
  const tar = (archive: string, ...files: readonly string[]) =>
    execFileSync("tar", ["-C", context.path, "-cf", at(archive), ...files]);
  fs.mkdirSync(at("bin"));
  for (const file of ["program", "bin/sh"])
    fs.writeFileSync(at(file), "\x7fno program", { mode: 0o755 });
  tar("layer.tar", "program", "bin");
  const digest = createHash("sha256")
    .update(fs.readFileSync(at("layer.tar")))
    .digest("hex");
  const [label = "", value = ""] = docker.label.split("=");
  const config = { Entrypoint: ["/program"], Labels: { [label]: value } };
  const rootfs = { type: "layers", diff_ids: [`sha256:${digest}`] };
  const image = { architecture, os: "linux", config, rootfs, history: [] };
  const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
  fs.writeFileSync(at("config.json"), JSON.stringify(image));
  fs.writeFileSync(at("manifest.json"), JSON.stringify(manifest));
  tar("image.tar", "layer.tar", "config.json", "manifest.json");
  await docker.ask("load", "-i", at("image.tar"));
  return name;
}
