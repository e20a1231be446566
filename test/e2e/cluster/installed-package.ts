/** The package in a project that has it installed. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { root } from "../docker/image-scene.ts";
import { packedCli } from "../docker/packed-cli.ts";

/** Installs like npm, with esbuild's program, so that building the service's image fetches nothing. */
export function installPackage(folder: string): void {
  using cli = packedCli();
  execFileSync("tar", ["-xzf", cli.archive, "-C", folder, "--strip-components=1"]);
  const programs = "node_modules/@esbuild";
  fs.cpSync(path.join(root, programs), path.join(folder, programs), { recursive: true });
}
