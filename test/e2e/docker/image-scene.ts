/** Images for tests: the base on an image that needs no registry, and workers on the base. */
import path from "node:path";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { startDocker, type TestDocker } from "../../setup/docker.ts";

export const root = path.resolve(import.meta.dirname, "../../..");
export const fixtures = path.join(root, "test/fixtures/handlers");

/** Options of a hardened container, which has all rights that a handler needs. */
export const HARDENED = [
  ...["--read-only", "--tmpfs", "/tmp:rw,noexec,nosuid,size=64m", "--cap-drop", "ALL"],
  ...["--security-opt", "no-new-privileges", "--pids-limit", "200", "--memory", "512m"],
];

export interface ImageInspection {
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly RootFS: { readonly Layers: readonly string[] };
}

/** An engine with the base image. Dispose of it at the end. */
export class ImageScene implements AsyncDisposable {
  readonly docker: TestDocker;
  /** Parent of the base image, with Node. */
  readonly node: string;
  readonly base = `sv-test/base:${process.pid}`;

  private constructor(docker: TestDocker, node: string) {
    this.docker = docker;
    this.node = node;
  }

  static async start(): Promise<ImageScene> {
    const docker = await startDocker();
    const scene = new ImageScene(docker, await nodeImage(docker));
    await scene.buildBase(scene.base);
    return scene;
  }

  /** Builds the base image as Dockerfile.base says. */
  async buildBase(tag: string, ...more: readonly string[]): Promise<void> {
    return this.buildBaseFrom(root, tag, ...more);
  }

  /** Builds the base image from another directory of the project. */
  async buildBaseFrom(folder: string, tag: string, ...more: readonly string[]): Promise<void> {
    const images = [`BASE_IMAGE=${this.node}`, `NODE_IMAGE=${this.node}`];
    await this.docker.ask(
      ...[
        "build",
        "-f",
        path.join(folder, "Dockerfile.base"),
        "-t",
        tag,
        "--label",
        this.docker.label,
      ],
      ...images.flatMap((image) => ["--build-arg", image]),
      ...[...more, folder],
    );
  }

  /** Builds a worker from the base and files. Returns the image's name. */
  async buildWorker(name: string, dockerfile: string, directory: string): Promise<string> {
    const tag = `sv-test/${name}:${process.pid}`;
    const args = ["build", "-f", "-", "-t", tag, "--label", this.docker.label, directory];
    const { code, stderr, stdout } = await this.docker.cli(args, { input: dockerfile });
    if (code !== 0) throw new Error(`${name} cannot be built:\n${stdout}${stderr}`);
    return tag;
  }

  /** Starts a container in the background. Returns its id. */
  async start(image: string, options: readonly string[], ...args: readonly string[]) {
    return this.docker.ask("run", "-d", "--label", this.docker.label, ...options, image, ...args);
  }

  /** Runs a container and waits for its end. */
  async run(image: string, options: readonly string[], ...args: readonly string[]) {
    const label = ["--label", this.docker.label];
    return this.docker.cli(["run", "--rm", ...label, ...options, image, ...args]);
  }

  async inspect(image: string): Promise<ImageInspection> {
    const [found] = JSON.parse(await this.docker.ask("image", "inspect", image)) as [
      ImageInspection,
    ];
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.docker[Symbol.asyncDispose]();
  }
}
