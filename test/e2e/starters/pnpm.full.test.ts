/** A starter with pnpm instead of npm: installed, tested, built and run. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { npmImage } from "../../setup/docker-node-image.ts";
import { dockerIsMissing, startDocker } from "../../setup/docker.ts";
import { npmRegistry, whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { packedCli } from "../docker/packed-cli.ts";
import { runNpm } from "./projects.ts";

const isMissing = dockerIsMissing ?? (await whatIsMissingOfNpm("tests of starters with pnpm"));

/** Fails when a package's install script is neither allowed nor forbidden. */
const STRICT = "pnpm@12.21.0";

test.skipIf(isMissing !== undefined)(
  "a starter works with pnpm as with npm",
  async () => {
    using cli = packedCli();
    await using docker = await startDocker();
    await using registry = npmRegistry(cli.archive);
    await using tree = await temporaryTree({});
    const url = await registry.listen("127.0.0.1");
    const gateway = ["-f", "{{(index .IPAM.Config 0).Gateway}}", "bridge"];
    const address = await docker.ask("network", "inspect", ...gateway);
    const inContainers = { npm_config_registry: await registry.listen(address) };
    const node = await npmImage(docker, `sv-test/npm-pnpm:${process.pid}`, inContainers);
    expect((await cli.run(["init", "greeter", "--yes"], docker.host, tree.root)).code).toBe(0);
    const directory = tree.path("greeter");
    const pnpm = async (...args: readonly string[]) => {
      const env = { npm_config_registry: url, pnpm_config_registry: url, NO_COLOR: "1" };
      const { code, stdout, stderr } = await runNpm(
        directory,
        ["exec", "--yes", "--", STRICT, ...args],
        env,
      );
      expect(code, stdout + stderr).toBe(0);
    };
    await pnpm("install");
    await pnpm("test");
    await pnpm("run", "types");
    const tag = `sv-test/pnpm-greeter:${process.pid}`;
    const run = ["run", "--rm", "-i", "--label", docker.label, tag, "run"];
    const images = ["--base-image", node, "--node-image", node];
    // Builds with its own Dockerfile, and with a generated one.
    for (const how of ["own", "made"]) {
      if (how === "made") fs.rmSync(path.join(directory, "Dockerfile"));
      const built = await cli.run(["build", ...images, "--tag", tag], docker.host, directory);
      expect(built.code, built.stderr).toBe(0);
      const { stdout } = await docker.cli(run, { input: '{"name":"Ada"}' });
      expect(JSON.parse(stdout), how).toEqual({ greeting: "Hello, Ada!" });
    }
  },
  400_000,
);
