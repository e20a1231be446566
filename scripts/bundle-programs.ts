/** Puts each program that a worker is made of into one file, which starts far sooner than its many modules do. */
import fs from "node:fs";
import path from "node:path";
import { build, type BuildOptions, type BuildResult, type Plugin } from "esbuild";
import { licencesOf } from "./package-licences.ts";

/**
 * Bundles what the compiler wrote. A bundle lies where the modules in it look for what is beside them.
 *
 * They are CommonJS, because an `import` of one of Node's own modules runs all its lazy getters: `node:util` alone
 * takes 3 ms that way.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  const runtime = path.join(folder, "runtime");
  // Its modules are some 130 otherwise, most of them of packages. The last one is only for a feature that is not used.
  const client = await bundle(runtime, "source/grpc", "source/grpc", {
    external: ["@grpc/proto-loader"],
  });
  const program: BuildOptions = {
    packages: "external",
    plugins: [loadedLater],
    supported: { "dynamic-import": false },
  };
  await bundle(runtime, "bin/sv-worker", "sv-worker", program);
  await bundle(runtime, "bin/worker-program", "worker-program", program);
  await bundle(runtime, "handler/handler-process", "handler/handler-process", {
    packages: "external",
  });
  await bundle(runtime, "handler/watchdog", "handler/watchdog");
  // What nothing but a bundle needs.
  fs.rmSync(path.join(runtime, "bin"), { recursive: true });
  const licences = licencesOf(Object.keys(client.metafile.inputs));
  fs.writeFileSync(path.join(runtime, "source/grpc.licences.txt"), licences);
}

function bundle(
  runtime: string,
  module: string,
  place: string,
  options: BuildOptions = {},
): Promise<BuildResult<{ metafile: true }>> {
  return build({
    entryPoints: [{ in: path.join(runtime, `${module}.js`), out: place }],
    outdir: runtime,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
    logLevel: "warning",
    metafile: true,
    ...options,
  });
}

/** These are files of their own: what comes out of the compile cache, and what only a connected worker needs. */
const loadedLater: Plugin = {
  name: "loaded-later",
  setup(plugin) {
    plugin.onResolve({ filter: /\/(worker-program|source\/grpc)\.js$/ }, ({ kind, path: file }) => {
      if (kind === "entry-point") return undefined;
      return { path: `./${file.replace(/^[./]+/u, "").replace(/js$/u, "cjs")}`, external: true };
    });
  },
};
