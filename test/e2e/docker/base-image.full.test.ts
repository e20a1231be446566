/** The base image: its content, a worker on it, and its behaviour as the first process of a container. */
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LiveQueue } from "../../live-queue/live-queue.ts";
import { dockerIsMissing } from "../../setup/docker.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { fixtures, HARDENED, ImageScene, root } from "./image-scene.ts";

const FIXTURES = [
  "blocks-the-loop.ts",
  "echo.ts",
  "forever.ts",
  "import-fails.ts",
  "leaves-orphans.ts",
];

const PLAIN = `import { defineHandler } from "sv-runtime";
export default defineHandler((job) => ({ hello: job.input.name, uid: process.getuid() }));
`;

/** TypeScript that Node alone would not run. */
const STREAM = `import { first } from "./numbers";
enum Step { One = 1 }
export default async function* ({ input }: { input: { count: number } }) {
  for (let n = first; n < input.count; n += Step.One) yield { n };
}
`;
const UPLOAD = `import type { Context, Job } from "sv-runtime";
export default async (job: Job, context: Context) => context.upload("a.txt", "text");
`;

/** A checkout on another machine: other times, another umask, files created in another order. */
async function otherClone(): Promise<TemporaryTree> {
  const clone = await temporaryTree({});
  const folders = ["dist/image", "node_modules/@esbuild"];
  const files = folders.flatMap((folder) => {
    const entries = fs.readdirSync(path.join(root, folder), {
      recursive: true,
      withFileTypes: true,
    });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  });
  for (const file of ["Dockerfile.base", ...files].toReversed()) {
    fs.mkdirSync(path.dirname(clone.path(file)), { recursive: true, mode: 0o700 });
    fs.copyFileSync(path.join(root, file), clone.path(file));
    const canExecute = (fs.statSync(path.join(root, file)).mode & 0o111) !== 0;
    fs.chmodSync(clone.path(file), canExecute ? 0o700 : 0o600);
    fs.utimesSync(clone.path(file), 1_000_000_000, 1_000_000_000);
  }
  return clone;
}

describe.skipIf(dockerIsMissing !== undefined)("the base image", () => {
  let scene: ImageScene;
  /** An image of plain JavaScript, made by `FROM` and `COPY` alone. */
  let plain: string;
  /** An image of TypeScript handlers. */
  let typed: string;

  beforeAll(async () => {
    scene = await ImageScene.start();
    await using files = await temporaryTree({ "handler.js": PLAIN });
    plain = await scene.buildWorker("plain", `FROM ${scene.base}\nCOPY . .\n`, files.root);
    await using sources = await temporaryTree({
      "handler.ts": STREAM,
      "numbers.ts": "export const first: number = 0;\n",
      "upload.ts": UPLOAD,
    });
    for (const name of FIXTURES) fs.copyFileSync(path.join(fixtures, name), sources.path(name));
    typed = await scene.buildWorker("typed", `FROM ${scene.base}\nCOPY . .\n`, sources.root);
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  test("has labels with its version, and a start command", async () => {
    const { Config } = await scene.inspect(scene.base);
    const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    expect(Config).toMatchObject({
      User: "1000:1000",
      Entrypoint: ["sv-worker"],
      WorkingDir: "/app",
      Healthcheck: { Test: ["CMD", "sv-worker-health"] },
      Labels: {
        "org.opencontainers.image.title": "sv-base",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "MIT",
        "org.opencontainers.image.base.name": scene.node,
      },
    });
    expect(Config.Env).toEqual(
      expect.arrayContaining([
        "NVIDIA_VISIBLE_DEVICES=all",
        "NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        "SV_HANDLER=/app",
      ]),
    );
  });

  test("adds one small layer, the same in every build", async () => {
    const [first, beneath] = await Promise.all([
      scene.inspect(scene.base),
      scene.inspect(scene.node),
    ]);
    const again = `${scene.base}-again`;
    await using clone = await otherClone();
    await scene.buildBaseFrom(clone.root, again, "--no-cache");
    expect((await scene.inspect(again)).RootFS.Layers).toEqual(first.RootFS.Layers);
    expect(first.RootFS.Layers).toHaveLength(beneath.RootFS.Layers.length + 1);
    expect(first.Size - beneath.Size).toBeLessThan(16_000_000);
  });

  test("adds Node and a name for user 1000 to an image that has neither", async () => {
    const bare = await scene.buildWorker(
      "bare",
      `FROM ${scene.node}\nRUN sed -i /1000/d /etc/passwd; rm /usr/local/bin/node\n`,
      path.join(root, "runtime/image"),
    );
    const base = `${scene.base}-bare`;
    await scene.buildBase(base, "--build-arg", `BASE_IMAGE=${bare}`);
    const script = "command -v node; node -v; id -un; echo $HOME";
    const shown = await scene.run(base, ["--entrypoint", "sh"], "-c", script);
    const node = `/node_modules/.bin/node\n${process.version}\n`;
    expect(shown.stdout).toBe(`${node}worker\n/home/worker\n`);
  });

  test("a plain JavaScript handler imports sv-runtime, and does not run as root", async () => {
    const { stdout } = await scene.run(plain, [], "run", "--input", '{"name":"Ada"}');
    expect(JSON.parse(stdout)).toEqual({ hello: "Ada", uid: 1000 });
  });

  test("takes the input through standard input", async () => {
    const args = ["run", "-i", "--rm", "--label", scene.docker.label, plain, "run"];
    const { stdout } = await scene.docker.cli(args, { input: '{"name":"pipe"}' });
    expect(JSON.parse(stdout)).toMatchObject({ hello: "pipe" });
  });

  test("a TypeScript handler runs as it is, on a read-only root and without any rights", async () => {
    const run = ["run", "--input", '{"count":2}'];
    const { stdout, stderr, code } = await scene.run(typed, HARDENED, ...run);
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(3);
  });

  test("uploads with the AWS SDK of the image", async () => {
    const uploads: string[] = [];
    const bucket = http.createServer((request, response) => {
      uploads.push(`${request.method} ${request.url?.split("?")[0]}`);
      request.resume().on("end", () => response.setHeader("etag", '"e"').end());
    });
    await once(bucket.listen(0, "127.0.0.1"), "listening");
    const { port } = bucket.address() as AddressInfo;
    const { args, host } = await scene.docker.wayHere();
    const settings = {
      ENDPOINT: `http://${host}:${port}`,
      ACCESS_KEY_ID: "key",
      SECRET_ACCESS_KEY: "secret",
      BUCKET: "bucket",
    };
    const env = Object.entries(settings).flatMap(([name, value]) => [
      "-e",
      `SV_S3_${name}=${value}`,
    ]);
    const run = ["run", "upload.ts", "--input", "{}"];
    const { code, stderr } = await scene.run(typed, [...args, ...env], ...run);
    bucket.close();
    expect(code, stderr).toBe(0);
    expect(uploads).toEqual([expect.stringMatching(/^PUT \/bucket\/.*a\.txt$/u)]);
  });

  test("in the environment of the live service it runs that service's jobs, and leaves when told to", async () => {
    await using queue = await LiveQueue.start();
    const { args, host } = await scene.docker.wayHere();
    const env = Object.entries(queue.environment()).flatMap(([name, value]) => [
      "-e",
      `${name}=${value.replace("127.0.0.1", host)}`,
    ]);
    const container = await scene.start(typed, [...HARDENED, ...args, ...env]);
    const job = await queue.done(queue.submit({ count: 2 }));
    expect([job.chunks, job.result]).toEqual([[{ n: 0 }, { n: 1 }], { output: [] }]);
    await queue.until(() => queue.openQuestions === 1);
    await scene.docker.ask("stop", "--time", "60", container);
    const code = await scene.docker.ask("inspect", "-f", "{{.State.ExitCode}}", container);
    expect([code, queue.openQuestions]).toEqual(["0", 0]);
  });

  test("reaps orphaned processes", async () => {
    const run = ["run", "leaves-orphans.ts", "--timeout-ms", "30000", "--input", '{"count":20}'];
    const { stdout, stderr } = await scene.run(typed, [], ...run);
    expect(stdout, stderr).toBe('{"left":0,"of":20}\n');
  });

  test("is no init when the engine brings one", async () => {
    const script = "sv-worker run --input '{}' >/dev/null; sv-worker --version; cat /proc/1/comm";
    const { stdout } = await scene.run(plain, ["--init", "--entrypoint", "sh"], "-c", script);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n(?:docker-init|tini)\n$/u);
  });

  test("exits with the worker's exit code", async () => {
    const usage = await scene.run(plain, [], "--no-such-flag");
    expect(usage.code).toBe(2);
    const unusable = await scene.run(typed, [], "run", "import-fails.ts", "--input", "{}");
    expect(unusable.code).toBe(3);
  });

  describe("its health check", () => {
    /** The health in `docker inspect`, once it is not `starting`. */
    async function health(container: string): Promise<string> {
      for (;;) {
        const status = await scene.docker.ask(
          ...["inspect", "-f", "{{.State.Health.Status}}", container],
        );
        if (status !== "starting") return status;
        await delay(100);
      }
    }

    test("finds a worker with a blocked handler alive, and a silent worker dead", async () => {
      const forever = ["run", "blocks-the-loop.ts", "--input", "{}"];
      const container = await scene.start(typed, ["--health-interval", "200ms"], ...forever);
      expect(await health(container)).toBe("healthy");
      const ask = (script: string) =>
        scene.docker.cli(["exec", container, "sh", "-c", `${script}; sv-worker-health`]);
      expect(await ask("true")).toMatchObject({ code: 0 });
      const old = await ask("export SV_HEARTBEAT_FILE=/tmp/old; touch -d '@0' /tmp/old");
      expect(old).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/sign of life is \d+ s/u),
      });
      const none = await ask("export SV_HEARTBEAT_FILE=/tmp/none");
      expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining("no sign of life") });
    });

    test("is not misled by another sv-worker in the container", async () => {
      const container = await scene.start(
        typed,
        ["--health-interval", "200ms"],
        "run",
        "forever.ts",
        "--input",
        "{}",
      );
      await health(container);
      const script =
        "rm /tmp/sv-worker.alive; sv-worker run echo.ts --input '{}'; sv-worker-health";
      const { code } = await scene.docker.cli(["exec", container, "sh", "-c", script]);
      expect(code).toBe(1);
    });
  });
});
