/** Bundles the service and its command line into one file, which starts much faster than hundreds of modules. */
import fs from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { keepAscii } from "./bundle-programs.ts";
import { licencesOf } from "./package-licences.ts";

/** Packages that every start loads, and packages that share objects with them. Other packages stay unbundled. */
export const BUNDLED = new Set([
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

/** The one file, in CommonJS: an `import` of one of Node's own modules runs all its lazy getters, which takes 80 ms. */
const BUNDLE = "service.cjs";

/** Modules that are imported by their path: the file at that path re-exports from the bundle. */
const FACES = ["index", "cli/main"];

/** The module that runs before the bundle is loaded. */
const PROGRAM = "cli/sv-emulate";

const THREADS = ["store/sqlite/integrity/check-thread", "store/sqlite/thread/store-thread"];

const OPTIONS = {
  bundle: true,
  platform: "node",
  target: "node24",
  logLevel: "warning",
  metafile: true,
} as const satisfies BuildOptions;

const COMMON = {
  ...OPTIONS,
  format: "cjs",
  banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: {
    "import.meta.url": "ownUrl",
    "import.meta.dirname": "__dirname",
    "import.meta.filename": "__filename",
  },
} as const satisfies BuildOptions;

/** Bundles the compiled emulator. Later imports by `import()` are in the bundle as well, and run only then. */
export async function bundleEmulator(folder: string): Promise<void> {
  const emulator = path.join(folder, "emulator");
  const inputs = [
    ...(await bundleService(folder, emulator)),
    ...(await bundleThreads(folder, emulator)),
    ...(await bundleProgram(folder, emulator)),
  ].map((input) => path.join(folder, input));
  fs.writeFileSync(path.join(emulator, "packages.licences.txt"), licencesOf(inputs));
  for (const file of new Set(inputs.filter((input) => input.startsWith(emulator)))) {
    // The compiler's source map is not valid for a replaced module.
    fs.rmSync(`${file}.map`);
    if (!file.endsWith(`${PROGRAM}.js`)) fs.rmSync(file);
  }
  for (const name of FACES) writeFace(emulator, name);
}

/** Returns the bundled modules, like the other functions that bundle. */
async function bundleService(folder: string, emulator: string): Promise<readonly string[]> {
  const faces = FACES.map((name) => `get "${name}"() { return require("./${name}.js"); }`);
  const outfile = path.join(emulator, BUNDLE);
  const { metafile } = await build({
    ...COMMON,
    stdin: { contents: `module.exports = { ${faces.join(", ")} };`, resolveDir: emulator },
    absWorkingDir: folder,
    outfile,
    plugins: [ownPlace(emulator), packages, oneLanguage],
  });
  keepAscii(outfile);
  return Object.keys(metafile.inputs);
}

async function bundleThreads(folder: string, emulator: string): Promise<readonly string[]> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: THREADS.map((name) => ({ in: path.join(emulator, `${name}.js`), out: name })),
    absWorkingDir: folder,
    outdir: emulator,
    outExtension: { ".js": ".cjs" },
  });
  return Object.keys(metafile.inputs);
}

async function bundleProgram(folder: string, emulator: string): Promise<readonly string[]> {
  const file = path.join(emulator, `${PROGRAM}.js`);
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: [file],
    absWorkingDir: folder,
    outfile: file,
    allowOverwrite: true,
    format: "esm",
    external: ["./main.js"],
  });
  return Object.keys(metafile.inputs);
}

function writeFace(emulator: string, name: string): void {
  const file = path.join(emulator, `${name}.js`);
  const bundle = path.join(emulator, BUNDLE);
  const { [name]: exported = {} } = createRequire(file)(bundle) as Record<string, object>;
  const place = `${"../".repeat(name.split("/").length - 1) || "./"}${BUNDLE}`;
  const lines = [
    'const { createRequire } = process.getBuiltinModule("node:module");',
    `const bundle = createRequire(import.meta.url)("${place}");`,
    `export const { ${Object.keys(exported).join(", ")} } = bundle["${name}"];`,
  ];
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
}

/** Listed imports of our own modules are bundled; bundled packages bring their imports along. */
const packages: Plugin = {
  name: "packages",
  setup(plugin) {
    plugin.onResolve({ filter: /^[^./]/ }, ({ path: name, importer }) => {
      if (name === "@grpc/proto-loader" || isBuiltin(name)) return { external: true };
      const [scope, inScope] = name.split("/");
      const packageName = name.startsWith("@") ? `${scope}/${inScope}` : scope;
      const isOurs = !importer.includes("/node_modules/");
      return isOurs && !BUNDLED.has(packageName ?? name) ? { external: true } : undefined;
    });
  },
};

/** zod has fifty languages; only the default one is used. */
const oneLanguage: Plugin = {
  name: "one-language",
  setup(plugin) {
    plugin.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "" }));
  },
};

/** A URL relative to a module, as the compiler writes it. */
const BESIDE = /(new URL\([^\n]*), import\.meta\.url\)/g;

/** A bundled module still looks for files beside its former place. */
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
