/** A project that has the package installed and one handler, and the cluster that the package's compose file makes of it. */
import fs from "node:fs";
import type { TestDocker } from "../../setup/docker.ts";
import { freePort } from "../../setup/free-port.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { SECRET_KEY } from "../database/on-database.ts";
import { type CliRun, runToEnd } from "../run-to-end.ts";
import { composeImages } from "./compose-images.ts";
import { installPackage } from "./installed-package.ts";

const KEY = "key-of-the-cluster";
const HANDLER = `import os from "node:os";
export default async ({ input }: { input: { name: string; count?: number } }) => {
  await new Promise((go) => setTimeout(go, 20));
  return { greeting: \`Hello, \${input.name}!\`, from: os.hostname(), rest: "x".repeat(input.count ?? 0) };
};
`;

/** The part of an answer that the tests look at. */
export interface Answer {
  readonly id: string;
  readonly status: string;
  readonly output?: Output;
}

export interface Output {
  readonly greeting: string;
  /** The id of its container. */
  readonly from: string;
  readonly rest: string;
}

export interface ShownReplicas {
  readonly answeredBy: string;
  readonly replicas: readonly { readonly id: string; readonly address: string }[];
  readonly unowned: readonly number[];
}

export class ComposeProject implements AsyncDisposable {
  readonly name = `sv-test-${process.pid}`;
  readonly #docker: TestDocker;
  readonly #tree: TemporaryTree;
  readonly #url: string;

  private constructor(docker: TestDocker, tree: TemporaryTree, url: string) {
    this.#docker = docker;
    this.#tree = tree;
    this.#url = url;
  }

  static async make(docker: TestDocker): Promise<ComposeProject> {
    const port = await freePort();
    const settings = {
      SV_PORT: port,
      SV_API_KEY: KEY,
      SV_SECRET_KEY: SECRET_KEY,
      SV_DATABASE_PASSWORD: "password",
      // The account of Swift.
      SV_BUCKET_KEY: "test:tester",
      SV_BUCKET_SECRET: "secret",
      ...(await composeImages(docker)),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    const tree = await temporaryTree({
      ".env": lines.join(""),
      "greet/handler.ts": HANDLER,
      "node_modules/sv-runtime/": "",
    });
    installPackage(tree.path("node_modules/sv-runtime"));
    fs.chmodSync(tree.root, 0o755);
    return new ComposeProject(docker, tree, `http://127.0.0.1:${port}`);
  }

  /** @throws Error with the output of the command and its containers */
  async compose(...args: readonly string[]): Promise<CliRun> {
    const run = await this.#run(args);
    if (run.code === 0) return run;
    const logs = await this.#run(["logs", "--no-color"]);
    const said = run.stdout + run.stderr + logs.stdout;
    throw new Error(`docker-compose ${args.join(" ")} failed:\n${said}`);
  }

  #run(args: readonly string[]): Promise<CliRun> {
    const file = "node_modules/sv-runtime/templates/cluster/compose.yaml";
    const place = ["-f", file, "--project-directory", "."];
    return runToEnd("docker-compose", [...place, ...args], {
      cwd: this.#tree.root,
      env: {
        ...process.env,
        DOCKER_HOST: this.#docker.host,
        DOCKER_BUILDKIT: "0",
        COMPOSE_PROJECT_NAME: this.name,
      },
    });
  }

  /** Ids of the project's containers, volumes and networks in Docker. */
  async left(): Promise<readonly string[]> {
    const of = ["-q", "--filter", `label=com.docker.compose.project=${this.name}`];
    const found = [
      await this.#docker.ask("ps", "-a", ...of),
      await this.#docker.ask("volume", "ls", ...of),
      await this.#docker.ask("network", "ls", ...of),
    ];
    return found.flatMap((ids) => ids.split("\n")).filter((id) => id !== "");
  }

  /** Asks the proxy; undefined without an answer, or for another status than 200. */
  async ask<T = Answer>(place: string, body?: unknown): Promise<T | undefined> {
    try {
      const answer = await fetch(`${this.#url}${place}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${KEY}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return answer.ok ? (JSON.parse(text) as T) : undefined;
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.compose("down", "-v");
    await this.#tree[Symbol.asyncDispose]();
  }
}
