/** Finds the file, line and column of a syntax error in a JavaScript module that could not be imported. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Message, Plugin } from "esbuild";

/**
 * One line for each error, with its place: `/path/handler.js:2:13: Unexpected ";"`. Undefined if the error is not about the
 * module's syntax, or its place is unknown.
 */
export async function syntaxPlaces(
  error: SyntaxError,
  sourcePath: string,
): Promise<string | undefined> {
  const stack = error.stack ?? "";
  const shown = shownPlace(stack, error.message);
  if (shown !== undefined) return shown;
  // Node does not report the place of a syntax error in a module, so another parser finds it.
  return stack.includes("at compileSourceTextModule ") ? parsedPlaces(sourcePath) : undefined;
}

/** Reads a stack that begins with file and line, the source line, and a mark below the column. */
function shownPlace(stack: string, message: string): string | undefined {
  const [place = "", , mark = ""] = stack.split("\n");
  const [, file, line] = /^(file:\/\/.+|\/.+):(\d+)$/u.exec(place) ?? [];
  if (file === undefined || !mark.includes("^")) return undefined;
  const name = file.startsWith("file:") ? fileURLToPath(file) : file;
  return `${name}:${line}:${mark.indexOf("^") + 1}: ${message}`;
}

async function parsedPlaces(sourcePath: string): Promise<string | undefined> {
  try {
    const { build } = await import("esbuild");
    const folder = path.dirname(sourcePath);
    await build({
      entryPoints: [sourcePath],
      absWorkingDir: folder,
      bundle: true,
      write: false,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "silent",
      plugins: [onlyJavaScript],
    });
    return undefined;
  } catch (error) {
    // Without esbuild, or for any other error, only Node's message is shown.
    return messagesOf(error, path.dirname(sourcePath));
  }
}

function messagesOf(error: unknown, folder: string): string | undefined {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) {
    return undefined;
  }
  const places = (error.errors as Message[]).flatMap(({ text, location }) => {
    if (location === null) return [];
    const file = path.resolve(folder, location.file);
    return [`${file}:${location.line}:${location.column + 1}: ${text}`];
  });
  return places.length === 0 ? undefined : places.join("\n");
}

/** Excludes imported files that are not JavaScript. */
const onlyJavaScript: Plugin = {
  name: "only-javascript",
  setup(build) {
    build.onLoad({ filter: /$/ }, ({ path: file }) =>
      /\.[cm]?js$/u.test(file) ? undefined : { contents: "" },
    );
  },
};
