/** Bundles each program of a worker into one file, which starts much faster than many modules. */
import fs from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { build, type BuildOptions, type BuildResult, type Plugin } from "esbuild";
import { licencesOf } from "./package-licences.ts";

/**
 * Bundles the compiled programs. A bundle is in the directory in which its modules look for files. Returns the names of
 * packages that a worker's programs load at run time. Bundles are CommonJS, because an `import` of one of Node's own modules
 * runs all its lazy getters: `node:util` alone takes 3 ms that way.
 */
export async function bundlePrograms(folder: string): Promise<readonly string[]> {
  const runtime = path.join(folder, "runtime");
  // Without a bundle it has some 130 modules, most of them of packages. The last package is only for an unused feature.
  const client = await bundle(runtime, "source/grpc", "source/grpc", {
    external: ["@grpc/proto-loader"],
  });
  const source = await bundle(runtime, "source/service-job-source", "source/service-job-source", {
    plugins: [loadedLater],
  });
  const bundles = [
    await bundle(runtime, "source/live/live-job-source", "source/live/live-job-source", {
      packages: "external",
    }),
    await bundle(runtime, "bin/sv-worker", "sv-worker", program),
    await bundle(runtime, "bin/worker-program", "worker-program", program),
    await bundle(runtime, "handler/handler-process", "handler/handler-process", {
      packages: "external",
    }),
  ];
  // These packages look for files in the same places as handlers.
  await bundle(runtime, "server/server-process", "handler/server-process", {
    packages: "external",
  });
  await bundle(runtime, "server/run-server", "handler/run-server", { packages: "external" });
  await bundle(runtime, "handler/watchdog", "handler/watchdog");
  // Files that only a bundle needs.
  fs.rmSync(path.join(runtime, "server"), { recursive: true });
  const sources = { ...client.metafile.inputs, ...source.metafile.inputs };
  const inputs = Object.keys(sources).map((input) => path.resolve(folder, input));
  fs.writeFileSync(path.join(runtime, "source/grpc.licences.txt"), licencesOf(inputs));
  return bundles.flatMap(packagesLoadedBy);
}

/** The packages that a bundle does not contain but loads. */
export function packagesLoadedBy({ metafile }: Bundle): readonly string[] {
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return imports
    .filter(({ external, path: name }) => external === true && !name.startsWith("."))
    .map(({ path: name }) => name)
    .filter((name) => !isBuiltin(name));
}

export type Bundle = BuildResult<{ metafile: true }>;

/** Bundles `module` of the runtime into the file `place`, `.cjs` added. */
export async function bundle(
  runtime: string,
  module: string,
  place: string,
  options: BuildOptions = {},
): Promise<Bundle> {
  const made: Bundle = await build({
    entryPoints: [{ in: path.join(runtime, `${module}.js`), out: place }],
    // Paths of modules in a bundle are relative to this directory, so that the same source becomes the same bundle.
    absWorkingDir: path.dirname(runtime),
    outdir: runtime,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
    logLevel: "warning",
    ...options,
    metafile: true,
  });
  keepAscii(path.join(options.outdir ?? runtime, `${place}.cjs`));
  return made;
}

/**
 * V8 takes twice the memory and time for a file with one non-ASCII character. The bundler leaves some in patterns, where an
 * escape has the same meaning, and in comments.
 */
export function keepAscii(file: string): void {
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll(/\P{ASCII}/gu, numbered));
}

/** Without the `u` flag a pattern matches the two halves of a character beyond 16 bits separately. */
function numbered(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16);
    return `\\u${unit.padStart(4, "0")}`;
  }).join("");
}

/**
 * Separate files: code from the compile cache, code for connected workers only, and the dynamic import of the user's server,
 * which is not possible within a bundle.
 */
const loadedLater: Plugin = {
  name: "loaded-later",
  setup(plugin) {
    plugin.onResolve(
      {
        filter: /\/(worker-program|service-job-source|grpc|live-job-source|run-server)\.js$/,
      },
      ({ kind, path: file }) => {
        if (kind === "entry-point") return undefined;
        const place = file.replace(/^[./]+/u, "").replace(/^server\//u, "handler/");
        return { path: `./${place.replace(/js$/u, "cjs")}`, external: true };
      },
    );
  },
};

/** Options of the bundle of a program on the supervisor's side. */
export const program: BuildOptions = {
  packages: "external",
  plugins: [loadedLater],
  supported: { "dynamic-import": false },
};
