/** Says what to do about an import that fails: which tsconfig was read for it, or how to reach a file that is not code. */
import { Projects } from "./tsconfig.ts";

/** Undefined if the file's projects have nothing that could lead the import to a file. */
export async function aliasHint(specifier: string, importer: string): Promise<string | undefined> {
  if (/^(?:\.|\/|node:)/u.test(specifier)) return undefined;
  const projects = new Projects();
  const [nearest, project] = [projects.nearest(importer), await projects.of(importer)];
  if (nearest === undefined || project === undefined) return undefined;
  const { compilerOptions = {}, references = [] } = project.config;
  const { paths, baseUrl } = compilerOptions;
  if (project.path !== nearest)
    return `"paths" of ${project.path}, which ${nearest} refers to, lead to no file for it`;
  if (references.length > 0) {
    const names = references.map(({ path }) => path).join(", ");
    return `"paths" of ${nearest} lead to no file for it, and none of its references includes ${importer} (${names})`;
  }
  const leads = paths !== undefined || baseUrl !== undefined;
  return leads ? `"paths" of ${nearest} lead to no file for it` : undefined;
}

/** How a module reaches a file that is not code. */
export const REACHED =
  'add with { type: "text" } or with { type: "bytes" } to its import, or read it: readFileSync(new URL("./file", import.meta.url))';

/** The hint for an error of Node, or "". @param sourcePath the file that imports it, if the error names none */
export async function importHint(error: unknown, sourcePath: string): Promise<string> {
  if (!(error instanceof Error)) return "";
  if ("code" in error && error.code === "ERR_UNKNOWN_FILE_EXTENSION") return `; ${REACHED}`;
  const pattern = /^Cannot find (?:package|module) '([^']+)'(?: imported from (\/[^\n]+))?/u;
  const [, specifier, importer = sourcePath] = pattern.exec(error.message) ?? [];
  const hint = specifier === undefined ? undefined : await aliasHint(specifier, importer);
  return hint === undefined ? "" : `; ${hint}`;
}
