/** The Docker launcher keeps the contracts of all launchers. */
import { afterAll, beforeAll, describe } from "vitest";
import { launcherContract } from "../../contract/launcher.contract.ts";
import { podLauncherContract } from "../../contract/pod-launcher.contract.ts";
import type { LauncherSubject } from "../../contract/launcher/subject.ts";
import { templateNamed } from "../../contract/launcher/subject.ts";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { dockerIsMissing, startDocker, type TestDocker } from "../../setup/docker.ts";
import { openLauncher } from "./open-launcher.ts";

describe.skipIf(dockerIsMissing !== undefined)("on a Docker engine", () => {
  let docker: TestDocker;
  let image: string;

  beforeAll(async () => {
    docker = await startDocker();
    image = await nodeImage(docker);
  });
  afterAll(async () => docker[Symbol.asyncDispose]());

  launcherContract("containers", async (): Promise<LauncherSubject> => {
    const opened = await openLauncher(docker);
    return {
      ...opened,
      templateOf: (code) => ({ ...templateNamed(image), dockerStartCmd: ["node", "-e", code] }),
      foreign: templateNamed("sv.local/hello"),
      left: async () => (await opened.containers()).length,
    };
  });

  podLauncherContract("containers", async () => {
    const opened = await openLauncher(docker);
    return {
      ...opened,
      bodyOf: (code) => ({ imageName: image, dockerStartCmd: ["node", "-e", code] }),
      foreign: { imageName: "sv.local/hello" },
      left: async () => (await opened.containers()).length,
    };
  });
});
