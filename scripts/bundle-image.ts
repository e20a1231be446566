/** Makes the content of the workers' base image besides Node: the runtime, with each package in one file. */
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { bundle, packagesLoadedBy, program } from "./bundle-programs.ts";
import { licencesOf } from "./package-licences.ts";

const root = path.resolve(import.meta.dirname, "..");

/** The bundled programs of a worker, and the files beside them. */
const PROGRAMS = [
  "sv-worker.cjs",
  "worker-program.cjs",
  "source/service-job-source.cjs",
  "source/grpc.cjs",
  "source/grpc.licences.txt",
  "source/live/live-job-source.cjs",
  "handler/handler-process.cjs",
  "handler/run-server.cjs",
  "handler/watchdog.cjs",
];

/** The modules that handlers import, by the name after `sv-runtime`. */
const LIBRARY = { ".": "index", "./client": "client/index" };

/** Packages that the library imports by a file's path, as Bun needs. In the image each is one file with the package's name. */
const PACKAGES = { "undici/index.js": "undici" };

/** The bundler starts a program of its own, so it has to stay a package. */
export const BUNDLER = "esbuild";

/** Commands of the image, each with its script. */
const COMMANDS = { "sv-worker": "sv-worker.sh", "sv-worker-health": "sv-worker-health.sh" };

/**
 * Writes `image/` beside the output of the compiler and `bundlePrograms`. Everything is below `node_modules`, so that handlers
 * find `sv-runtime` from any directory of the image.
 */
export async function bundleImage(folder: string, packages: readonly string[]): Promise<void> {
  const runtime = path.join(folder, "runtime");
  const modules = path.join(folder, "image/node_modules");
  const home = path.join(modules, "sv-runtime");
  for (const file of PROGRAMS) copy(path.join(runtime, file), path.join(home, file));
  for (const [command, script] of Object.entries(COMMANDS)) {
    copy(path.join(runtime, "image", script), path.join(modules, ".bin", command));
  }
  // Only the image needs these packages.
  fs.rmSync(path.join(runtime, "image"), { recursive: true });
  const library = await Promise.all(
    Object.values(LIBRARY).map((module) =>
      bundle(runtime, module, module, { ...program, outdir: home, alias: PACKAGES }),
    ),
  );
  const loaded = new Set([...packages, ...library.flatMap(packagesLoadedBy)]);
  loaded.delete(BUNDLER);
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(home, "LICENSE"));
  writeJson(path.join(home, "package.json"), manifest());
  await addPackages(home, [...loaded].toSorted());
  addBundler(path.join(home, "node_modules"));
  lockBundler(path.join(folder, "image/bundler"));
}

function manifest(): object {
  const { name, version, license } = readJson(path.join(root, "package.json"));
  const exports = Object.fromEntries(
    Object.entries(LIBRARY).map(([place, module]) => [place, `./${module}.cjs`]),
  );
  return { name, version, license, exports: { ...exports, "./package.json": "./package.json" } };
}

/** Makes one file of each package that the programs and the library load, with its licences beside it. */
async function addPackages(home: string, names: readonly string[]): Promise<void> {
  const inputs: string[] = [];
  for (const name of names) {
    const folder = path.join(home, "node_modules", name);
    const { metafile } = await build({
      stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
      outfile: path.join(folder, "index.cjs"),
      absWorkingDir: root,
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node24",
      minify: true,
      keepNames: true,
      legalComments: "none",
      logLevel: "warning",
      metafile: true,
    });
    const { version, license } = readJson(path.join(installed(name), "package.json"));
    writeJson(path.join(folder, "package.json"), { name, version, license, main: "./index.cjs" });
    inputs.push(...Object.keys(metafile.inputs).filter((input) => input !== "<stdin>"));
  }
  fs.writeFileSync(path.join(home, "node_modules/licences.txt"), licencesOf(inputs));
}

/** Without the bundler's program for the platform, which the build of the image adds. */
export function addBundler(modules: string): void {
  for (const file of ["package.json", "LICENSE.md", "lib/main.js"]) {
    copy(path.join(installed(BUNDLER), file), path.join(modules, BUNDLER, file));
  }
}

/** The files that `npm ci` needs if the bundler's program for the image's platform is not installed here. */
function lockBundler(folder: string): void {
  const { version, optionalDependencies } = readJson(path.join(installed(BUNDLER), "package.json"));
  const dependencies = { [BUNDLER]: version };
  const { packages } = readJson(path.join(root, "package-lock.json")) as { packages: Json };
  const names = [BUNDLER, ...Object.keys(optionalDependencies as Json)];
  const locked: Json = {};
  for (const name of names) locked[`node_modules/${name}`] = packages[`node_modules/${name}`];
  writeJson(path.join(folder, "package.json"), { private: true, dependencies });
  writeJson(path.join(folder, "package-lock.json"), {
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies }, ...locked },
  });
}

type Json = Record<string, unknown>;

function readJson(file: string): Json {
  return JSON.parse(fs.readFileSync(file, "utf8")) as Json;
}

function writeJson(file: string, value: object): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

function copy(from: string, to: string): void {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}

function installed(name: string): string {
  return path.join(root, "node_modules", name);
}
