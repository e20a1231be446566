/** Puts the service and its command line into a few files, which start far sooner than their hundreds of modules do. */
import fs from "node:fs";
import path from "node:path";
import { isBuiltin } from "node:module";
import { build, type Plugin } from "esbuild";
import { licencesOf } from "./package-licences.ts";

/** Packages that every start loads, and what shares objects with them. The other ones stay what they are. */
const BUNDLED = new Set([
  "@bufbuild/protobuf",
  "@grpc/grpc-js",
  "chokidar",
  "commander",
  "find-my-way",
  "ipaddr.js",
  "pino",
  "uuidv7",
  "zod",
  "zod-openapi",
]);

/** The programs, and those of threads. */
const ENTRIES = [
  ...["index", "cli/sv-emulate"],
  ...["store/sqlite/integrity/check-thread", "store/sqlite/thread/store-thread"],
];

/**
 * Bundles what the compiler wrote of the emulator over its entries; what is loaded later is a file of its own. All files
 * but the entries lie in `emulator/`.
 */
export async function bundleEmulator(folder: string): Promise<void> {
  const emulator = path.join(folder, "emulator");
  const { metafile } = await build({
    entryPoints: ENTRIES.map((name) => ({ in: path.join(emulator, `${name}.js`), out: name })),
    absWorkingDir: folder,
    outdir: emulator,
    chunkNames: "part-[name]-[hash]",
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node24",
    plugins: [ownPlace(emulator), builtins, packages],
    logLevel: "warning",
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  const files = inputs
    .filter((input) => !input.includes(":"))
    .map((input) => path.resolve(folder, input));
  fs.writeFileSync(path.join(emulator, "packages.licences.txt"), licencesOf(files));
  for (const module of inputs) {
    if (!module.startsWith("emulator/")) continue;
    // What the compiler's maps say of the entries is not true of the bundles.
    fs.rmSync(path.join(folder, `${module}.map`));
    if (!(module in metafile.outputs)) fs.rmSync(path.join(folder, module));
  }
}

/** An `import` of one of Node's own modules runs all its lazy getters, which costs a start 80 ms; asked for so, none runs. */
const builtins: Plugin = {
  name: "builtins",
  setup(plugin) {
    plugin.onResolve({ filter: /^[a-z]/ }, ({ path: name }) =>
      isBuiltin(name) ? { path: name, namespace: "builtin" } : undefined,
    );
    plugin.onLoad({ filter: /./, namespace: "builtin" }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)})`,
    }));
  },
};

/** What our own modules import is bundled if it is listed; what is bundled takes along what it imports. */
const packages: Plugin = {
  name: "packages",
  setup(plugin) {
    plugin.onResolve({ filter: /^[^./]/ }, ({ path: name, importer }) => {
      if (name === "@grpc/proto-loader") return { external: true };
      const [scope, inScope] = name.split("/");
      const packageName = name.startsWith("@") ? `${scope}/${inScope}` : scope;
      const isOurs = !importer.includes("/node_modules/");
      return isOurs && !BUNDLED.has(packageName ?? name) ? { external: true } : undefined;
    });
  },
};

/** An address relative to a module, as the compiler leaves it. */
const BESIDE = /(new URL\([^\n]*), import\.meta\.url\)/g;

/** A module that looks for what is beside it still looks beside where it was; the module itself is not there any more. */
function ownPlace(emulator: string): Plugin {
  return {
    name: "own-place",
    setup(plugin) {
      plugin.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        const text = fs.readFileSync(file, "utf8");
        if (!file.startsWith(emulator) || text.search(BESIDE) < 0) return undefined;
        const place = `./${path.relative(emulator, file).replaceAll(path.sep, "/")}`;
        const own = `new URL(${JSON.stringify(place)}, import.meta.url)`;
        return { contents: text.replaceAll(BESIDE, `$1, ${own})`), loader: "js" };
      });
    },
  };
}
