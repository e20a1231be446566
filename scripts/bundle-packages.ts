/** Copies imported packages into the build, so that installing this package installs no others. */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { addBundler, BUNDLER } from "./bundle-image.ts";
import { keepAscii, packagesLoadedBy } from "./bundle-programs.ts";
import { licencesOf } from "./package-licences.ts";

const root = path.resolve(import.meta.dirname, "..");
const ownRequire = createRequire(path.join(root, "package.json"));

/** Packages that the user installs. */
const PEER = "vitest";

/** Packages used in our types; their code is in the bundle of the service. */
const TYPES_ONLY = ["zod"];

/** Packages with the same first part of the name become one file, because they share many imports. */
const groupOf = (specifier: string): string => specifier.split("/")[0] ?? specifier;

/**
 * Writes `node_modules/` into the folder of the build, where its files look first. Each package is loaded only when it is
 * imported, as if it were installed.
 */
export async function bundlePackages(folder: string): Promise<void> {
  const modules = path.join(folder, "node_modules");
  const groups = Map.groupBy(await importedBy(folder), groupOf);
  const inputs: string[] = [];
  for (const [group, specifiers] of groups) {
    inputs.push(...(await bundleGroup(path.join(modules, group), specifiers)));
    for (const specifier of specifiers) writeFaces(modules, group, specifier);
  }
  addBundler(modules);
  for (const name of TYPES_ONLY) inputs.push(...copyTypes(modules, name));
  fs.writeFileSync(path.join(modules, "licences.txt"), licencesOf(inputs));
}

/** The imports from packages anywhere in the build. The image has its own packages. */
async function importedBy(folder: string): Promise<readonly string[]> {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.c?js$/u.test(file) && !/^image\/|docs-page\//u.test(file));
  const made = await build({
    entryPoints: files.map((file) => ({ in: path.join(folder, file), out: file })),
    absWorkingDir: folder,
    outdir: folder,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
    plugins: [oneByOne],
    write: false,
    metafile: true,
  });
  const names = new Set(packagesLoadedBy(made));
  return [...names].filter((name) => name !== BUNDLER && name !== PEER).toSorted();
}

/** Returns the bundled files. */
async function bundleGroup(home: string, specifiers: readonly string[]): Promise<string[]> {
  const faces = specifiers.map((name) => `get "${name}"() { return require("${name}"); }`);
  const outfile = bundleIn(home);
  const { metafile } = await build({
    stdin: { contents: `module.exports = { ${faces.join(", ")} };`, resolveDir: root },
    outfile,
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    minify: true,
    keepNames: true,
    legalComments: "none",
    logLevel: "error",
    // Optional native addons exist only where a compiler is installed; the packages work without them.
    external: ["*.node", "cpu-features"],
    plugins: [unused],
    metafile: true,
  });
  keepAscii(outfile);
  return Object.keys(metafile.inputs).filter((input) => input !== "<stdin>");
}

function bundleIn(home: string): string {
  return path.join(home, "bundle.cjs");
}

/** The files for imports and requires of the package, by the names that it exports. */
function writeFaces(modules: string, group: string, specifier: string): void {
  const [first = "", second = ""] = specifier.split("/");
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  const home = path.join(modules, name);
  const below = specifier.slice(name.length + 1);
  const stem = below === "" ? "index" : below.replaceAll(/\W+/gu, "-");
  const bundle = bundleIn(path.join(modules, group));
  const from = path.relative(home, bundle);
  const place = from.startsWith(".") ? from : `./${from}`;
  const all = (ownRequire(bundle) as Record<string, object>)[specifier] ?? {};
  const names = Object.keys(all).filter(
    (key) => /^[a-z_$][\w$]*$/iu.test(key) && key !== "default",
  );
  const key = JSON.stringify(specifier);
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(
    path.join(home, `${stem}.cjs`),
    `module.exports = require("${place}")[${key}];\n`,
  );
  fs.writeFileSync(
    path.join(home, `${stem}.mjs`),
    `import own from "./${stem}.cjs";\nexport default own;\nexport const { ${names.join(", ")} } = own;\n`,
  );
  writeManifest(home, name, below, stem);
}

function writeManifest(home: string, name: string, below: string, stem: string): void {
  const file = path.join(home, "package.json");
  const before = fs.existsSync(file)
    ? (JSON.parse(fs.readFileSync(file, "utf8")) as { readonly exports: object })
    : { exports: {} };
  const { version, license } = manifestOf(name);
  const entry = { import: `./${stem}.mjs`, require: `./${stem}.cjs` };
  const exports = { ...before.exports, [below === "" ? "." : `./${below}`]: entry };
  const manifest = { name, version, license, exports };
  fs.writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Copies the declarations that are reachable from a package's first one. Returns the files. */
function copyTypes(modules: string, name: string): readonly string[] {
  const from = path.join(root, "node_modules", name);
  const files = new Set([path.join(from, "index.d.ts")]);
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/gu)) {
      const next = path.resolve(path.dirname(file), specifier.replace(/js$/u, "d.ts"));
      if (fs.existsSync(next)) files.add(next);
    }
    const to = path.join(modules, name, path.relative(from, file));
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(file, to);
  }
  const { version, license } = manifestOf(name);
  const manifest = { name, version, license, type: "module", types: "./index.d.ts" };
  fs.writeFileSync(path.join(modules, name, "package.json"), `${JSON.stringify(manifest)}\n`);
  return [...files];
}

function manifestOf(name: string): Readonly<Record<string, string>> {
  const file = path.join(root, "node_modules", name, "package.json");
  return JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, string>;
}

/** Only the file's own imports: some lead to code that is already in a bundle. */
const oneByOne: Plugin = {
  name: "one-by-one",
  setup(plugin) {
    plugin.onResolve({ filter: /^\./ }, ({ kind, path: file }) =>
      kind === "entry-point" ? undefined : { path: file, external: true },
    );
  },
};

/** Packages of unused features of the Docker client: this project has its own code for BuildKit's sessions and progress. */
const unused: Plugin = {
  name: "unused",
  setup(plugin) {
    plugin.onLoad({ filter: /\/dockerode\/lib\/(?:session|buildkit)\.js$/ }, () => ({
      contents: "module.exports = undefined;",
    }));
  },
};
