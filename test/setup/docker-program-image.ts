/** An image with programs of this machine: their files and linked libraries, on the image with Node and a shell. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { librariesOf, nodeImage } from "./docker-node-image.ts";
import type { TestDocker } from "./docker.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface ProgramImage {
  readonly name: string;
  /** Files and folders, at the same paths in the image. */
  readonly files: readonly string[];
  /** Programs that are included with their libraries. */
  readonly linked: readonly string[];
  /** A shell script that the image runs, whatever its command is. */
  readonly script: string;
  /** Further lines of its Dockerfile. */
  readonly lines?: readonly string[];
}

/**
 * Returns its name.
 * @throws Error with the engine's output if it cannot be built
 */
export async function programImage(docker: TestDocker, image: ProgramImage): Promise<string> {
  using context = temporaryDirectory();
  const root = path.join(context.path, "root");
  for (const file of [...image.files, ...librariesOf(...image.linked)]) {
    const place = path.join(root, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    // Links are followed, so that no other files of this machine are needed; cpSync keeps links within folders.
    execFileSync("cp", ["-RLT", file, place]);
  }
  fs.writeFileSync(path.join(root, "start.sh"), `#!/bin/sh\nset -eu\n${image.script}\n`, {
    mode: 0o755,
  });
  const dockerfile = [
    `FROM ${await nodeImage(docker)}`,
    "COPY root /",
    ...(image.lines ?? []),
    `ENTRYPOINT ["/start.sh"]`,
  ];
  const build = ["build", "-f", "-", "-t", image.name, "--label", docker.label, context.path];
  const { code, stderr } = await docker.cli(build, { input: `${dockerfile.join("\n")}\n` });
  if (code !== 0) throw new Error(`${image.name} cannot be built:\n${stderr}`);
  return image.name;
}
