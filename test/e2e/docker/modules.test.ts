/** Runs the contract of modules in images that `sv-emulate build` makes. */
import path from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { modulesContract } from "../../contract/modules.contract.ts";
import { npmImage } from "../../setup/docker-node-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { IS_FULL } from "../../setup/size.ts";
import { builtCli, type Cli } from "./packed-cli.ts";

const TAG = "sv-test/modules:1";

describe.skipIf(dockerIsMissing !== undefined)("in a built image", () => {
  let docker: TestDocker;
  let node: string;
  let cli: Cli;

  beforeAll(async () => {
    cli = builtCli();
    docker = await startDocker();
    node = await npmImage(docker, "sv-test/npm:1");
  });
  afterAll(async () => {
    cli[Symbol.dispose]();
    await docker[Symbol.asyncDispose]();
  });

  modulesContract(
    "an image",
    async (handler) => {
      const images = ["--base-image", node, "--node-image", node];
      const built = await cli.run(
        ["build", ...images, path.dirname(handler), "--tag", TAG],
        docker.host,
      );
      if (built.code !== 0) throw new Error(built.stderr);
      // Nothing of the image can be written, and nothing of this machine is there.
      const options = ["--rm", "--label", docker.label, "--read-only", "--tmpfs", "/tmp"];
      const { code, stdout, stderr } = await docker.cli([
        "run",
        ...options,
        TAG,
        "run",
        "--input",
        "{}",
      ]);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as unknown;
    },
    !IS_FULL,
  );
});
