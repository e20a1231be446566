/**
 * `sv-emulate build`, in a full run the packed one: from a directory with a handler to a running image and a
 * template with it.
 */
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTemplateInput } from "../../../emulator/core/resources/templates/template-input.ts";
import { npmImage } from "../../setup/docker-node-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { sized, testInFull } from "../../setup/size.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import type { CliRun } from "../run-to-end.ts";
import { builtCli, type Cli, packedCli } from "./packed-cli.ts";
import { smallRegistry } from "./small-registry.ts";

const HANDLER = `import { readFileSync } from "node:fs";
import { defineHandler } from "sv-runtime";
import { greet } from "./greet";
export default defineHandler<{ name?: string }>(({ input }) => {
  if (input.name === undefined) throw new Error("there is no name");
  return greet(input.name) + readFileSync(new URL("./end.txt", import.meta.url), "utf8");
});
`;

const GREETER = {
  "Greeter/handler.ts": HANDLER,
  "Greeter/greet.ts": "export const greet = (name: string): string => `Hello, ${name}`;\n",
  "Greeter/end.txt": "!",
  "Greeter/.env": "SECRET=1\n",
  "Greeter/.sv/emulator.db": "rows\n",
  "Greeter/notes/a.md": "notes\n",
  "Greeter/.dockerignore": "notes\n",
};

describe.skipIf(dockerIsMissing !== undefined)("sv-emulate build", () => {
  let docker: TestDocker;
  let node: string;
  let cli: Cli;

  beforeAll(async () => {
    cli = sized<() => Cli>(builtCli, packedCli)();
    docker = await startDocker();
    node = await npmImage(docker, "sv-test/npm:1");
  });
  afterAll(async () => {
    cli[Symbol.dispose]();
    await docker[Symbol.asyncDispose]();
  });

  /** Builds on an image that needs no registry, and names the images so that they are found again. */
  async function build(files: TemporaryTree, ...args: readonly string[]): Promise<CliRun> {
    const images = ["--base-image", node, "--node-image", node];
    return cli.run(["build", ...images, ...args], docker.host, files.root);
  }

  async function run(image: string, ...args: readonly string[]) {
    return docker.cli([
      "run",
      "--rm",
      "--label",
      docker.label,
      ...args.slice(0, -1),
      image,
      "run",
      "--input",
      args.at(-1) ?? "{}",
    ]);
  }

  test("makes an image of a bundled TypeScript handler, and a template with the image", async () => {
    await using files = await temporaryTree(GREETER);
    const { code, stdout, stderr } = await build(files, "Greeter");
    expect(code, stderr).toBe(0);
    expect(stdout).toBe("greeter:latest\n");
    expect(stderr).toMatch(/^ {2}Step 1\/\d+ : FROM \S*sv-base:/mu);
    expect(stderr).toMatch(/^left out as secrets: \.env \(/mu);
    const size = String.raw`\d[\d.]* [kM]?B`;
    // The engine may have the base from earlier tests.
    const time = String.raw`(?:\d[\d.]* s|–)`;
    const row = (image: string, beneath: string) =>
      new RegExp(`^${image} +${size} +${size} +${time} +on ${beneath}$`, "mu");
    expect(stderr).toMatch(row(String.raw`sv-base:\S+`, node));
    expect(stderr).toMatch(row("greeter:latest", String.raw`sv-base:\S+`));
    const template: unknown = JSON.parse(
      fs.readFileSync(files.path("Greeter/template.json"), "utf8"),
    );
    expect(readTemplateInput(template)).toMatchObject({
      name: "Greeter",
      imageName: "greeter:latest",
      category: "CPU",
      isServerless: true,
    });
    const listed = await docker.cli([
      ...["run", "--rm", "--entrypoint", "find"],
      "greeter:latest",
      "/app",
      "-type",
      "f",
    ]);
    expect(listed.stdout.trim().split("\n").toSorted()).toEqual([
      "/app/.sv-handler/handler.mjs",
      "/app/.sv-handler/handler.mjs.json",
      "/app/end.txt",
      "/app/greet.ts",
      "/app/handler.ts",
    ]);
    // Bundling needs a writable directory.
    const { stdout: output } = await run("greeter:latest", "--read-only", '{"name":"Ada"}');
    expect(output).toBe('"Hello, Ada!"\n');
    const failed = await run("greeter:latest", "{}");
    expect(failed.stderr).toContain("/app/handler.ts:5:39");
  });

  test("changes the last and small layer alone when a line of the handler changes", async () => {
    await using files = await temporaryTree({
      "w/handler.ts": "export default () => 1;\n",
      "w/weights/model.onnx": "weights".repeat(300_000),
      "w/tls.key": "-----BEGIN PRIVATE KEY-----\n",
    });
    const layers = async () => {
      const { code, stderr } = await build(files, "w", "--tag", "sv-test/layers:1");
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("left out as secrets: tls.key (");
      const format = ["-f", "{{json .RootFS.Layers}}", "sv-test/layers:1"];
      return JSON.parse(await docker.ask("image", "inspect", ...format)) as readonly string[];
    };
    const before = await layers();
    fs.writeFileSync(files.path("w/handler.ts"), "export default () => 2;\n");
    const after = await layers();
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)).not.toBe(before.at(-1));
    expect((await run("sv-test/layers:1", "{}")).stdout).toBe("2\n");
  });

  testInFull("builds the base once, and the same files into the same layers", async () => {
    await using files = await temporaryTree(GREETER);
    const layers = async () =>
      docker.ask("image", "inspect", "-f", "{{json .RootFS.Layers}}", "sv-test/greeter:1");
    const args = ["Greeter", "--tag", "sv-test/greeter:1"];
    await build(files, ...args);
    const first = await layers();
    await docker.ask("rmi", "sv-test/greeter:1");
    fs.utimesSync(files.path("Greeter/end.txt"), new Date(), new Date());
    const { stderr } = await build(files, ...args, "--rebuild-base");
    expect(stderr).toMatch(/^base sv-base:\S+ built in /mu);
    expect(await layers()).toBe(first);
    const { stderr: third } = await build(files, ...args);
    expect(third).toMatch(/^base sv-base:\S+ is there$/mu);
  });

  testInFull("keeps additions to a template, and renews its image", async () => {
    await using files = await temporaryTree({
      ...GREETER,
      "t.json": '{"name": "mine", "imageName": "old", "env": {"A": "1"}}',
    });
    const { code } = await build(
      files,
      "Greeter",
      "--tag",
      "sv-test/g:2",
      "--template-out",
      "t.json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(fs.readFileSync(files.path("t.json"), "utf8"))).toEqual({
      name: "mine",
      imageName: "sv-test/g:2",
      env: { A: "1" },
    });
  });

  testInFull(
    "uses a directory's own Dockerfile, which begins with FROM sv-base and may run npm",
    async () => {
      await using files = await temporaryTree({
        "own/Dockerfile": `ARG NODE_IMAGE=not-the-default\nFROM \${NODE_IMAGE} AS packages\nRUN echo it > /made\n
        FROM sv-base\nCOPY --from=packages /made ./\nCOPY main.js ./\nENV SV_HANDLER=/app/main.js\n`,
        "own/main.js": 'export default () => "own";\n',
        "own/.dockerignore": "Dockerfile\n",
      });
      const { code, stderr } = await build(files, "own", "--tag", "sv-test/own:1");
      expect(code, stderr).toBe(0);
      expect((await run("sv-test/own:1", "{}")).stdout).toBe('"own"\n');
    },
  );

  testInFull("shows the end of the output when a step fails", async () => {
    await using files = await temporaryTree({
      "bad/Dockerfile": 'FROM sv-base\nRUN echo "the weights are not here"; exit 7\n',
    });
    const { code, stdout, stderr } = await build(files, "bad");
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain("the weights are not here");
    expect(stderr).toMatch(/exit code: 7/u);
  });

  testInFull("pushes to the registry in the image's name", async ({ skip }) => {
    skip(await docker.isElsewhere(), "the registry of this test listens on this machine alone");
    await using files = await temporaryTree({
      "cuda/Dockerfile": "FROM scratch\nCOPY a /\nENV CUDA_VERSION=12.8.1\n",
      "cuda/a": "a",
    });
    await using registry = await smallRegistry();
    const tag = `${registry.address}/team/cuda:7`;
    const { code, stderr } = await build(files, "cuda", "--tag", tag, "--push");
    expect(code, stderr).toBe(0);
    expect(registry.pushed).toEqual(["team/cuda:7"]);
    expect(JSON.parse(fs.readFileSync(files.path("cuda/template.json"), "utf8"))).toMatchObject({
      imageName: tag,
      category: "NVIDIA",
    });
  });

  /** An image for `FROM`: the image with Node, and further instructions. */
  async function imageFrom(name: string, ...instructions: readonly string[]): Promise<string> {
    const tag = `sv-test/${name}:${process.pid}`;
    const args = ["build", "-f", "-", "-t", tag, "--label", docker.label, import.meta.dirname];
    const input = [`FROM ${node}`, ...instructions, ""].join("\n");
    const { code, stderr } = await docker.cli(args, { input });
    expect(code, stderr).toBe(0);
    return tag;
  }

  testInFull("builds on a parent image with another user than root", async () => {
    await using files = await temporaryTree({
      "w/handler.js": "export default () => process.getuid();\n",
      "w/package.json": "{}",
      "w/package-lock.json": '{"lockfileVersion": 3, "packages": {"": {}}}',
    });
    const image = await imageFrom("no-root", "RUN sed -i /1000/d /etc/passwd", "USER 1234:1234");
    const images = ["--base-image", image, "--node-image", image];
    const args = ["build", ...images, "w", "--tag", "sv-test/no-root-worker:1"];
    const { code, stderr } = await cli.run(args, docker.host, files.root);
    expect(code, stderr).toBe(0);
    expect((await run("sv-test/no-root-worker:1", "{}")).stdout).toBe("1000\n");
  });

  testInFull("refuses an image without glibc in one sentence", async () => {
    await using files = await temporaryTree(GREETER);
    const image = await imageFrom(
      "musl",
      "RUN rm -rf /lib64 /lib/ld-linux*; mkdir -p /lib; touch /lib/ld-musl-x86_64.so.1",
    );
    const args = ["build", "Greeter", "--base-image", image, "--node-image", node];
    const { code, stdout, stderr } = await cli.run(args, docker.host, files.root);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    const [, sentence] = /^error: (.*)$/ms.exec(stderr) ?? [];
    expect(sentence?.trimEnd()).toMatch(
      new RegExp(
        `^sv-base:\\S+ cannot be built: ${image} has musl instead of glibc, .* as --base-image .*$`,
        "u",
      ),
    );
  });

  testInFull("installs the packages of the lock file, without those for development", async () => {
    const entry = { version: "1.0.0", dev: true, resolved: "http://127.0.0.1:9/nothing.tgz" };
    const own = { name: "w", devDependencies: { "sv-nothing": "1.0.0" } };
    await using tree = await temporaryTree({
      "w/handler.js": 'import fs from "node:fs"; export default () => fs.readdirSync("/app");\n',
      "w/package.json": JSON.stringify(own),
      "w/package-lock.json": JSON.stringify({
        lockfileVersion: 3,
        packages: { "": own, "node_modules/sv-nothing": entry },
      }),
      "w/node_modules/of-this-machine/index.js": "",
    });
    const { code, stderr } = await build(tree, "w", "--tag", "sv-test/w:1");
    expect(code, stderr).toBe(0);
    const { stdout } = await run("sv-test/w:1", "{}");
    const files = ["handler.js", "package-lock.json", "package.json"];
    expect((JSON.parse(stdout) as readonly string[]).toSorted()).toEqual(files);
  });

  test("says what to do without an engine, and without a handler", async () => {
    await using files = await temporaryTree({ ...GREETER, "empty/": "" });
    const nobody = await cli.run(["build", "Greeter"], "unix:///nowhere.sock", files.root);
    expect(nobody).toMatchObject({ code: 5, stdout: "" });
    expect(nobody.stderr).toMatch(/^error: no Docker engine answers at unix:\/\/\/nowhere.sock; /u);
    const empty = await build(files, "empty");
    expect(empty.code).toBe(2);
    expect(empty.stderr).toContain("empty holds neither a handler");
  });

  test("names the place of an error in a handler that cannot be bundled, before it builds anything", async () => {
    await using files = await temporaryTree({ "broken/handler.ts": "export default (\n" });
    const { code, stderr } = await build(files, "broken");
    expect(code).toBe(2);
    expect(stderr).toContain("broken/handler.ts:2:1: ");
  });
});
