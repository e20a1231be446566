/** Bundles the worker threads and child processes that a handler starts, into a directory beside the handler's bundle. */
import { pathToFileURL } from "node:url";
import { FROM } from "../core/import-from.ts";
import { PROGRAMS, type Programs } from "./programs.ts";

/** A file of the directory for programs. */
export interface ProgramFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** The bundle of a program, with the names that it exports. */
export interface BundledProgram {
  readonly code: Uint8Array;
  readonly inputPaths: readonly string[];
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

/** The modules of all programs, and what was put into them. */
export interface BundledPrograms extends Pick<BundledProgram, "inputPaths" | "imports"> {
  readonly files: readonly ProgramFile[];
}

/**
 * Bundles each program into a file, with a module beside it that starts it.
 *
 * @param programs further programs that a bundle starts are added to it, and bundled as well
 */
export async function bundlePrograms(
  programs: Programs,
  placeOf: (file: string) => string,
  bundle: (sourcePath: string) => Promise<BundledProgram>,
): Promise<BundledPrograms> {
  const files: ProgramFile[] = [];
  const inputPaths: string[] = [];
  const imports: string[] = [];
  for (const [sourcePath, name] of programs) {
    const made = await bundle(sourcePath);
    const bundleName = name.replace(/mjs$/u, "bundle.mjs");
    const start = programModule(bundleName, placeOf(sourcePath), made.exports);
    files.push({ name: bundleName, content: made.code }, { name, content: start });
    inputPaths.push(...made.inputPaths);
    imports.push(...made.imports);
  }
  return { files, inputPaths, imports };
}

/** The directory for the programs of the bundle. */
export function programsFolder(modulePath: string): string {
  return modulePath.replace(/mjs$/u, "programs");
}

/** Definition of that directory in the banner of a handler's bundle, or of a program's. */
export function programsBanner(isProgram: boolean): string {
  const folder = isProgram
    ? 'new URL(".",import.meta.url)'
    : 'import.meta.url.replace(/mjs$/,"programs/")';
  return `const ${PROGRAMS}=${folder};`;
}

/**
 * The module that starts a program: it has Node resolve packages from the place of the source, and exports what the bundle does.
 *
 * @param place the path of the source at the time when it runs
 */
function programModule(bundleName: string, place: string, names: readonly string[]): string {
  const source = JSON.stringify(pathToFileURL(place).href);
  const exported = names.map(
    (name, at) =>
      `const $${at}=own[${JSON.stringify(name)}];export{$${at} as ${JSON.stringify(name)}};`,
  );
  return `import { createRequire, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
const bundle = new URL("./${bundleName}", import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const [wanted, from] = specifier.split("${FROM}");
    if (from !== undefined && context.conditions.includes("require"))
      return next(createRequire(from).resolve(wanted), context);
    const parentURL = from ?? (context.parentURL === bundle ? ${source} : context.parentURL);
    return next(wanted, { ...context, parentURL });
  },
});
if (process.argv[1] === fileURLToPath(import.meta.url)) process.argv[1] = fileURLToPath(${source});
const own = await import(bundle);
${exported.join("\n")}
`;
}
