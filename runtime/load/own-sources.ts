/** An esbuild plugin: in a bundle, each source file keeps the place and the TypeScript project that it has by itself. */
import fs from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Loader, Plugin } from "esbuild";
import { FROM } from "../core/import-from.ts";
import { type Programs, withPrograms } from "./programs.ts";
import { placeOfDecorator, Translation } from "./translation.ts";
import { Projects } from "./tsconfig.ts";

/** Loaders of the files that are code. */
export const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

const ASKS = /import\.meta|__dirname|__filename|\brequire\b/u;

/** A call whose argument is no literal. The bundler leaves it to the `require` of the bundle. */
const REQUIRES_COMPUTED = /(?<![\w$.])require(?=\(\s*[\w$])/gu;

/** Names that replace expressions which depend on the place of a source file. */
const NAMES = {
  "import.meta": "__svMeta",
  __dirname: "__svMeta.dirname",
  __filename: "__svMeta.filename",
  "require.resolve": "__svRequire.resolve",
  "require.cache": "__svRequire.cache",
  "require.main": "__svRequire.main",
} as const;

export interface OwnSourcesOptions {
  /** The path of a source file at the time when the bundle runs. */
  readonly placeOf: (file: string) => string;
  /** Receives the programs that the sources start. Undefined: they are left as they are. */
  readonly programs: Programs | undefined;
}

/**
 * `import.meta`, `__dirname`, `require` and the like mean each source file. For example, `new URL("./corpus.txt",
 * import.meta.url)` works in a bundle that lies elsewhere.
 */
export function ownSources(entry: string, { placeOf, programs }: OwnSourcesOptions): Plugin {
  const projects = new Projects();
  const translation = new Translation(projects);
  return {
    name: "own-sources",
    setup(build) {
      build.initialOptions.define = { ...build.initialOptions.define, ...NAMES };
      build.onStart(() => projects.clear());
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async (args) => {
        const file = args.path;
        const loader = LOADERS[path.extname(file)];
        // With attributes the file is imported as text or bytes.
        if (loader === undefined || Object.keys(args.with).length > 0) return undefined;
        const source = await fs.readFile(file, "utf8");
        const translated = await translation
          .of(source, file, loader, build)
          .catch((error: Error) => error);
        if (typeof translated !== "string")
          return {
            errors: [{ text: translated.message, location: { file, ...placeOfDecorator(source) } }],
          };
        if (!ASKS.test(translated)) return { contents: translated, loader };
        const code = programs ? withPrograms(translated, file, placeOf, programs) : translated;
        return { contents: located(code, file, entry, placeOf), loader };
      });
    },
  };
}

/** The beginning of every bundle: what is left to the bundle of the `require` and `import.meta` of its sources. */
export function bundleBanner(place: string): string {
  return `const require=${requireOf(place)},__svResolve=import.meta.resolve;`;
}

/** The definitions share the first line with the code, so that every line keeps its number. */
function located(
  source: string,
  file: string,
  entry: string,
  placeOf: (file: string) => string,
): string {
  const place = placeOf(file);
  const url = JSON.stringify(pathToFileURL(place).href);
  const filename = JSON.stringify(place);
  const meta =
    `url:${url},dirname:${JSON.stringify(path.dirname(place))},filename:${filename},main:process.argv[1]===${filename},` +
    `resolve:n=>/^\\.\\.?\\//.test(n)?new URL(n,${url}).href:__svResolve(n+${JSON.stringify(FROM)}+${url})`;
  const requires = /\brequire\b/u.test(source) ? `,__svRequire=${requireOf(place)}` : "";
  const definitions = `const __svMeta={${meta}}${requires};`;
  const isElsewhere = path.dirname(file) !== path.dirname(entry);
  const code = isElsewhere ? source.replaceAll(REQUIRES_COMPUTED, "__svRequire") : source;
  return code.startsWith("#!") ? `${definitions}//${code}` : definitions + code;
}

function requireOf(place: string): string {
  const url = JSON.stringify(pathToFileURL(place).href);
  return `process.getBuiltinModule("module").createRequire(${url})`;
}
