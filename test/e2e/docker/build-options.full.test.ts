/** The options and output of `sv-emulate build`, and the images that it leaves behind. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { npmImage } from "../../setup/docker-node-image.ts";
import { whatIsMissing } from "../../setup/debian-program.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type PackedCli, packedCli } from "./packed-cli.ts";
import { smallRegistry } from "./small-registry.ts";

const ADA = { username: "ada", password: "s:ecret" };

const gitIsMissing = whatIsMissing("tests of images of a repository", ["git"]);

describe.skipIf(dockerIsMissing !== undefined)("sv-emulate build", () => {
  let docker: TestDocker;
  let node: string;
  let cli: PackedCli;

  beforeAll(async () => {
    cli = packedCli();
    docker = await startDocker();
    node = await npmImage(docker, `sv-test/npm-options:${process.pid}`);
  });
  afterAll(async () => {
    cli[Symbol.dispose]();
    await docker[Symbol.asyncDispose]();
  });

  async function build(
    files: TemporaryTree,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ) {
    const images = ["--base-image", node, "--node-image", node];
    return cli.run(["build", ...images, ...args], docker.host, files.root, env);
  }

  async function labelsOf(image: string): Promise<Readonly<Record<string, string>>> {
    const format = "{{json .Config.Labels}}";
    return JSON.parse(await docker.ask("image", "inspect", "-f", format, image)) as Record<
      string,
      string
    >;
  }

  test("--build-arg sets the ARGs of a Dockerfile, by its value or the environment's", async () => {
    await using files = await temporaryTree({
      "a/Dockerfile": "FROM sv-base\nARG ONE\nARG TWO=default\nENV SAID=$ONE-$TWO\n",
    });
    const tag = "sv-test/args:1";
    const args = ["a", "--tag", tag, "--build-arg", "ONE=x=y", "--build-arg", "TWO"];
    const { code, stderr } = await build(files, args, { TWO: "two" });
    expect(code, stderr).toBe(0);
    const said = ["run", "--rm", "--entrypoint", "sh", tag, "-c", "echo $SAID"];
    expect(await docker.ask(...said)).toBe("x=y-two");
  });

  test("--platform sets the platform of all steps, and an error names one that the engine cannot run", async () => {
    await using files = await temporaryTree({
      "a/handler.js": "export default () => 1;\n",
      sh: "no program of this machine",
      ...{ passwd: "root:x:0:0:root:/root:/bin/sh\n", group: "root:x:0:\n" },
      Dockerfile: "FROM scratch\nCOPY --chown=0:0 sh /bin/sh\nCOPY passwd group /etc/\n",
    });
    const own = process.arch === "arm64" ? "linux/arm64" : "linux/amd64";
    const other = own === "linux/amd64" ? "linux/arm64" : "linux/amd64";
    const native = await build(files, ["a", "--tag", "sv-test/native:1", "--platform", own]);
    expect(native.code, native.stderr).toBe(0);
    const foreign = `sv-test/foreign:${process.pid}`;
    fs.chmodSync(files.path("sh"), 0o755);
    const made = ["build", "-t", foreign, "--platform", other, "--label", docker.label, files.root];
    await docker.ask(...made);
    const images = ["--base-image", foreign, "--node-image", foreign];
    const args = ["build", "a", ...images, "--platform", other];
    const { code, stderr } = await cli.run(args, docker.host, files.root);
    expect(code).toBe(5);
    expect(stderr).toMatch(new RegExp(`runs no programs for ${other}; .* --install \\w+$`, "mu"));
    const wrong = await build(files, ["a", "--platform", "linux/riscv64"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("linux/amd64, linux/arm64");
  });

  /** A client of the engine without BuildKit. */
  async function withoutBuildKit(): Promise<{ readonly host: string } & AsyncDisposable> {
    const home = temporaryDirectory();
    const socketPath = docker.host.replace("unix://", "");
    const door = path.join(home.path, "docker.sock");
    const server = http.createServer((asked, response) => {
      const { method, url = "", headers } = asked;
      if (url.includes("/session")) {
        response.writeHead(404, { "content-type": "application/json" }).end("{}");
        return;
      }
      const passedOn = http.request({ socketPath, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      asked.pipe(passedOn);
    });
    server.listen(door);
    await once(server, "listening");
    return {
      host: `unix://${door}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
        home[Symbol.dispose]();
      },
    };
  }

  test("--secret is mounted by a step, and is in no layer and no history", async () => {
    // BuildKit drops a session without answers.
    const pause = "RUN sleep 3\n";
    const mounted = (id: string): string => `--mount=type=secret,id=${id},mode=0444`;
    await using files = await temporaryTree({
      "a/Dockerfile": `FROM sv-base\nRUN ${mounted("one")} md5sum < /run/secrets/one > /tmp/sums\n${pause}RUN ${mounted("two")} md5sum < /run/secrets/two >> /tmp/sums\n`,
      "a/.dockerignore": "one",
      one: "secret 51c9a0",
      "b/handler.js": "export default () => 1;\n",
    });
    const tag = "sv-test/secret:1";
    const secrets = ["--secret", "id=one,src=one", "--secret", "id=two,env=TWO"];
    const env = { TWO: "secret e07b44" };
    const { code, stderr } = await build(files, ["a", "--tag", tag, ...secrets], env);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^ {2}Step 2\/4 : RUN --mount=type=secret/mu);
    const sums = ["secret 51c9a0", env.TWO].map(
      (secret) => `${createHash("md5").update(secret).digest("hex")}  -`,
    );
    const read = ["run", "--rm", "--entrypoint", "cat", tag, "/tmp/sums"];
    expect(await docker.ask(...read)).toBe(sums.join("\n"));
    const archive = path.join(files.root, "image.tar");
    await docker.ask("save", "-o", archive, tag);
    const bytes = fs.readFileSync(archive);
    expect(bytes.includes("/tmp/sums")).toBe(true);
    for (const secret of ["secret 51c9a0", env.TWO]) expect(bytes.includes(secret)).toBe(false);
    const unused = await build(files, ["b", ...secrets], env);
    expect(unused.code).toBe(5);
    expect(unused.stderr).toMatch(/b has neither a lock file, .* nor a Dockerfile/u);
    await using old = await withoutBuildKit();
    const images = ["--base-image", node, "--node-image", node];
    const args = ["build", "a", ...images, ...secrets];
    const refused = await cli.run(args, old.host, files.root, env);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/^error: .* has no BuildKit, .* without --secret$/mu);
  });

  test("--push uses the credentials of docker login, from its file or a helper", async ({
    skip,
  }) => {
    skip(await docker.isElsewhere(), "the registry of this test listens on this machine alone");
    await using registry = await smallRegistry(ADA);
    const { address } = registry;
    const auth = Buffer.from(`${ADA.username}:${ADA.password}`).toString("base64");
    const given = JSON.stringify({ Username: ADA.username, Secret: ADA.password });
    await using files = await temporaryTree({
      "a/Dockerfile": "FROM scratch\nCOPY a /\n",
      "a/a": "a",
      "file/config.json": JSON.stringify({ auths: { [address]: { auth } } }),
      "helper/config.json": JSON.stringify({ auths: { [address]: {} }, credsStore: "test" }),
      "bin/docker-credential-test": `#!/bin/sh\n[ "$1 $(cat)" = "get ${address}" ] && echo '${given}'\n`,
      "none/": "",
    });
    fs.chmodSync(files.path("bin/docker-credential-test"), 0o755);
    const push = async (config: string) =>
      build(files, ["a", "--tag", `${address}/${config}:1`, "--push"], {
        DOCKER_CONFIG: files.path(config),
        PATH: `${files.path("bin")}${path.delimiter}${process.env["PATH"] ?? ""}`,
      });
    const stranger = await push("none");
    expect(stranger.code).toBe(5);
    expect(stranger.stderr).toContain(`use: docker login ${address}`);
    for (const config of ["file", "helper"]) {
      const { code, stderr } = await push(config);
      expect(code, stderr).toBe(0);
    }
    expect(registry.pushed).toEqual(["file:1", "helper:1"]);
  });

  test.skipIf(gitIsMissing)(
    "an image built in a repository names its source in its labels",
    async () => {
      await using files = await temporaryTree({
        "a/Dockerfile": "FROM sv-base\nCOPY . .\n",
        "a/handler.js": "export default () => 1;\n",
      });
      const git = (...args: readonly string[]): string =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
          cwd: files.root,
          encoding: "utf8",
        }).trim();
      git("init", "--quiet");
      git("remote", "add", "origin", "git@git.example:team/greet.git");
      git("add", ".");
      git("commit", "--quiet", "-m", "one");
      const { code, stderr } = await build(files, ["a", "--tag", "sv-test/labelled:1"]);
      expect(code, stderr).toBe(0);
      expect(await labelsOf("sv-test/labelled:1")).toMatchObject({
        "org.opencontainers.image.source": "https://git.example/team/greet",
        "org.opencontainers.image.revision": git("rev-parse", "HEAD"),
        "org.opencontainers.image.base.name": expect.stringMatching(/^sv-base:/u),
      });
    },
  );

  test("--pull asks the registries for the newest base images", async () => {
    await using files = await temporaryTree({ "a/handler.js": "export default () => 1;\n" });
    const asked: string[] = [];
    const server = http.createServer(({ url = "" }, response) => {
      asked.push(url);
      response.writeHead(404).end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const image = `127.0.0.1:${port}/base:1`;
    await docker.ask("tag", node, image);
    const args = ["build", "a", "--base-image", image, "--node-image", image];
    const without = await cli.run(
      [...args, "--tag", "sv-test/unpulled:1"],
      docker.host,
      files.root,
    );
    expect([without.code, asked], without.stderr).toEqual([0, []]);
    const pulled = await cli.run([...args, "--pull"], docker.host, files.root);
    server.close();
    expect(pulled.code).toBe(5);
    expect(asked).toContain("/v2/base/manifests/1");
  });

  test("labels of the parent image about its own source are not the worker's", async () => {
    await using files = await temporaryTree({ "a/handler.js": "export default () => 1;\n" });
    const beneath = `sv-test/with-source:${process.pid}`;
    const labels = ["--label", "org.opencontainers.image.source=https://other.example"];
    const make = [
      "build",
      "-f",
      "-",
      "-t",
      beneath,
      "--label",
      docker.label,
      ...labels,
      files.root,
    ];
    await docker.cli(make, { input: `FROM ${node}\n` });
    const images = ["--base-image", beneath, "--node-image", node];
    const args = ["build", "a", ...images, "--tag", "sv-test/unlabelled:1"];
    const { code, stderr } = await cli.run(args, docker.host, files.root);
    expect(code, stderr).toBe(0);
    expect((await labelsOf("sv-test/unlabelled:1"))["org.opencontainers.image.source"]).toBe("");
  });

  test("the classic builder leaves no images without a name, and the next build uses the cache", async () => {
    const label = `sv-test.stage=${process.pid}`;
    const dockerfile = (text: string): string =>
      `FROM ${node} AS made\nLABEL ${label}\nRUN echo ${text} > /made\nFROM sv-base\nCOPY --from=made /made ./\n`;
    // Other tests build on the same engine.
    const nameless = async () =>
      docker.ask("images", "-q", "-f", "dangling=true", "-f", `label=${label}`);
    const stage = async () => docker.ask("images", "-q", "sv-stages:sv-test-staged-1-1");
    const tag = ["--tag", "sv-test/staged:1"];
    await using files = await temporaryTree({ "a/Dockerfile": dockerfile(`${process.pid}`) });
    const classic = { DOCKER_BUILDKIT: "0" };
    expect((await build(files, ["a", ...tag], classic)).code).toBe(0);
    expect(await nameless()).toBe("");
    const first = await stage();
    expect((await build(files, ["a", ...tag], classic)).code).toBe(0);
    expect(await stage()).toBe(first);
    // The new worker has taken the name of the old one.
    await docker.ask("rmi", "sv-test/staged:1");
    await using changed = await temporaryTree({
      "a/Dockerfile": dockerfile(`other ${process.pid}`),
    });
    expect((await build(changed, ["a", ...tag], classic)).code).toBe(0);
    expect(await nameless()).toBe("");
    expect(await stage()).not.toBe(first);
  });
});
