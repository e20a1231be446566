/**
 * The images of the starters' projects, built by the packed program on an engine without a registry, and an
 * emulator with them.
 */
import { STARTER_NAMES, type StarterName } from "../../../emulator/starter/starters.ts";
import { nodeImage, npmImage } from "../../setup/docker-node-image.ts";
import { startDocker, type TestDocker } from "../../setup/docker.ts";
import { ContainerStage } from "../docker/container-stage.ts";
import { projectName, type StarterProjects } from "./projects.ts";

export class StarterImages implements AsyncDisposable {
  readonly #docker: TestDocker;
  readonly #projects: StarterProjects;
  /** Base images of the projects' images. */
  readonly #beneath: readonly string[];

  private constructor(docker: TestDocker, projects: StarterProjects, beneath: readonly string[]) {
    this.#docker = docker;
    this.#projects = projects;
    this.#beneath = beneath;
  }

  /** Containers reach only this machine, so it serves the packages that they install. */
  static async prepare(projects: StarterProjects): Promise<StarterImages> {
    const docker = await startDocker();
    const gateway = ["-f", "{{(index .IPAM.Config 0).Gateway}}", "bridge"];
    const address = await docker.ask("network", "inspect", ...gateway);
    const env = { npm_config_registry: await projects.registry.listen(address) };
    const npm = await npmImage(docker, `sv-test/npm-starters:${process.pid}`, env);
    const beneath = ["--base-image", await nodeImage(docker), "--node-image", npm];
    return new StarterImages(docker, projects, beneath);
  }

  /** The first build brings the base image of the others. */
  async build(): Promise<void> {
    const [first, ...others] = STARTER_NAMES;
    if (first !== undefined) await this.#build(first);
    await Promise.all(others.map(async (starter) => this.#build(starter)));
  }

  /** An emulator that runs the images. */
  async stage(): Promise<ContainerStage> {
    return ContainerStage.set(this.#docker);
  }

  imageName(starter: StarterName): string {
    return `sv-test/${projectName(starter)}:${process.pid}`;
  }

  async #build(starter: StarterName): Promise<void> {
    const args = ["build", "--tag", this.imageName(starter), ...this.#beneath];
    const directory = this.#projects.directory(starter);
    const { code, stderr } = await this.#projects.cli.run(args, this.#docker.host, directory);
    if (code !== 0) throw new Error(`${starter} cannot be built:\n${stderr}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#docker.cli(["rmi", "-f", ...STARTER_NAMES.map((name) => this.imageName(name))]);
    await this.#docker[Symbol.asyncDispose]();
  }
}
