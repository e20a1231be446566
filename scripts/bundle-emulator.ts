/** Puts the service and its command line into a few files, which start far sooner than their hundreds of modules do. */
import fs from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";

/**
 * Bundles what the compiler wrote of the emulator over its entries; what is loaded later is a file of its own. All files
 * but the entries lie in `emulator/`. Packages stay what they are.
 */
export async function bundleEmulator(folder: string): Promise<void> {
  const emulator = path.join(folder, "emulator");
  const { metafile } = await build({
    entryPoints: ["index", "cli/sv-emulate", "store/sqlite/integrity/check-thread"].map((name) => ({
      in: path.join(emulator, `${name}.js`),
      out: name,
    })),
    absWorkingDir: folder,
    outdir: emulator,
    chunkNames: "part-[name]-[hash]",
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node24",
    packages: "external",
    plugins: [ownPlace(emulator)],
    logLevel: "warning",
    metafile: true,
  });
  for (const module of Object.keys(metafile.inputs)) {
    if (!module.startsWith("emulator/")) continue;
    // What the compiler's maps say of the entries is not true of the bundles.
    fs.rmSync(path.join(folder, `${module}.map`));
    if (!(module in metafile.outputs)) fs.rmSync(path.join(folder, module));
  }
}

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
