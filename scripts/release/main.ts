/**
 * Makes what a release consists of, for the version in package.json, and checks that the parts belong together. Publishes nothing.
 *
 *   npm run release -- [--dry-run] [--base-image IMAGE] [--node-image IMAGE] [--out FOLDER]
 *
 * A dry run accepts uncommitted changes, and a changelog whose section is still `[Unreleased]`.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { packContext } from "../../emulator/image/context/build-context.ts";
import { billOfMaterials, bundledPackages, type Materials } from "./bill-of-materials.ts";
import { changesOf, statedVersion } from "./statements.ts";

const root = path.resolve(import.meta.dirname, "../..");
const PROJECT = "sv-runtime";
/** Folder of `npm run package`. */
const PACKED = "node_modules/.cache/sv-runtime";

const { values: given } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    "base-image": { type: "string" },
    "node-image": { type: "string" },
    out: { type: "string", default: "release" },
  },
});

function read(file: string): string {
  return fs.readFileSync(path.join(root, file), "utf8");
}

/** Returns the trimmed stdout. @throws Error with the output of a command that fails */
function run(command: string, ...args: readonly string[]): string {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status === 0) return stdout.trim();
  throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `\n${stdout}${stderr}`}`);
}

function materials(): string {
  const installed = run("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only");
  const inDist = (pattern: string) => fs.globSync(`dist/**/${pattern}`, { cwd: root });
  const whole = inDist("node_modules/*/package.json").map((file) => {
    const { name, version } = JSON.parse(read(file)) as Readonly<Record<string, string>>;
    return `${name}@${version}`;
  });
  const bundled = bundledPackages(inDist("*licences.txt").map(read));
  const others = new Set([...bundled, ...whole.filter((name) => !name.startsWith(`${PROJECT}@`))]);
  return billOfMaterials(PROJECT, JSON.parse(installed) as Materials, others);
}

/** Packs the chart as `helm package` does. Equal charts make equal archives. */
async function chart(): Promise<Buffer> {
  const directory = path.join(root, "templates/helm");
  const packed = packContext({ files: [], directories: [{ directory, prefix: "sv-runtime" }] });
  return gzipSync(await buffer(packed));
}

/** Builds the base image of workers, and checks that it has this version. Returns its names, the exact one first. */
function baseImage(version: string): readonly string[] {
  const [major, minor] = version.split(".");
  const [exact = "", ...others] = [version, `${major}.${minor}`, "latest"].map(
    (tag) => `sv-base:${tag}`,
  );
  const parents = [
    ["BASE_IMAGE", given["base-image"]],
    ["NODE_IMAGE", given["node-image"]],
  ].flatMap(([name, image]) => (image === undefined ? [] : ["--build-arg", `${name}=${image}`]));
  run("docker", "build", "-f", "Dockerfile.base", "-t", exact, ...parents, ".");
  const said = run("docker", "run", "--rm", "--network", "none", exact, "--version");
  if (said !== version) throw new Error(`the base image has sv-worker ${said}, not ${version}`);
  for (const name of others) run("docker", "tag", exact, name);
  return [exact, ...others];
}

async function main(): Promise<void> {
  const isDry = given["dry-run"];
  const version = statedVersion(read);
  const changes = changesOf(read("CHANGELOG.md"), version, isDry);
  if (!isDry && run("git", "status", "--porcelain") !== "")
    throw new Error("there are uncommitted changes: a release is made of a commit");
  run("npm", "run", "--silent", "package");
  const archive = `sv-runtime-${version}.tgz`;
  const parts: Readonly<Record<string, string | Buffer>> = {
    [archive]: fs.readFileSync(path.join(root, PACKED, archive)),
    [`sv-runtime-chart-${version}.tgz`]: await chart(),
    "sbom.cdx.json": materials(),
    "changes.md": changes,
    "images.txt": baseImage(version).join("\n") + "\n",
  };
  const sums = Object.entries(parts).map(
    ([name, content]) => `${createHash("sha256").update(content).digest("hex")}  ${name}\n`,
  );
  const out = path.resolve(root, given.out);
  fs.mkdirSync(out, { recursive: true });
  for (const [name, content] of Object.entries({ ...parts, SHA256SUMS: sums.join("") }))
    fs.writeFileSync(path.join(out, name), content);
  console.log(`sv-runtime ${version} is in ${out}:\n\n${sums.join("")}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
