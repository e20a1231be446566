/** Puts the service and its command line into one file, which starts far sooner than their hundreds of modules do. */
import fs from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { keepAscii } from "./bundle-programs.ts";
import { licencesOf } from "./package-licences.ts";

/** Packages that every start loads, and what shares objects with them. The other ones stay what they are. */
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

/** The one file. It is CommonJS: an `import` of one of Node's own modules runs all its lazy getters, which takes 80 ms. */
const BUNDLE = "service.cjs";

/** Modules of which others know the place: what is left there takes its exports out of the bundle. */
const FACES = ["index", "cli/main"];

/** What runs before the bundle is loaded. */
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

/**
 * Bundles what the compiler wrote of the emulator. What is imported later, by `import()`, is in the bundle as well, and runs
 * only then.
 */
export async function bundleEmulator(folder: string): Promise<void> {
  const emulator = path.join(folder, "emulator");
  const inputs = [
    ...(await bundleService(folder, emulator)),
    ...(await bundleThreads(folder, emulator)),
    ...(await bundleProgram(folder, emulator)),
  ].map((input) => path.join(folder, input));
  fs.writeFileSync(path.join(emulator, "packages.licences.txt"), licencesOf(inputs));
  for (const file of new Set(inputs.filter((input) => input.startsWith(emulator)))) {
    // What the compiler's maps say is not true of what takes the place of a module.
    fs.rmSync(`${file}.map`);
    if (!file.endsWith(`${PROGRAM}.js`)) fs.rmSync(file);
  }
  for (const name of FACES) writeFace(emulator, name);
}

/** Answers the modules that went into it, as the other ones do. */
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

/** What our own modules import is bundled if it is listed; what is bundled takes along what it imports. */
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

/** Of the fifty languages in which zod complains only one is used: the one that it has without being asked for others. */
const oneLanguage: Plugin = {
  name: "one-language",
  setup(plugin) {
    plugin.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "" }));
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
