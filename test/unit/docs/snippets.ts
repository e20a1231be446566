/** The TypeScript snippets of the documents, written to files that can be compiled and run. */
import fs from "node:fs";
import path from "node:path";
import { type Document, documents, fencesIn, root } from "./documents.ts";

export interface Snippet {
  readonly document: string;
  /** The snippet's first line, from 1. */
  readonly line: number;
  /** Absolute path of its file; each line has the number it has in the document. */
  readonly file: string;
  readonly isRunnable: boolean;
  /** Output that it states: the ends of its lines that begin with `// → `. */
  readonly prints: readonly string[];
}

export interface WrittenSnippets extends Disposable {
  /** Directory of all snippets, with a tsconfig.json for them. */
  readonly directory: string;
  readonly snippets: readonly Snippet[];
}

/**
 * Writes all snippets into a directory inside the project, so that they find its packages and the project itself.
 * A snippet that begins with a comment like `// greet/handler.ts` is written under that name, and others of its
 * document can import it.
 * @param edit changes the code, for example an address in it
 */
export function writeSnippets(edit: (code: string) => string = (code) => code): WrittenSnippets {
  const reports = path.join(root, ".reports");
  fs.mkdirSync(reports, { recursive: true });
  const directory = fs.mkdtempSync(path.join(reports, "snippets-"));
  const snippets = documents().flatMap((document) => write(document, directory, edit));
  const config = {
    extends: path.join(root, "tsconfig.json"),
    // Without paths the package's name leads to the declarations in dist/, as for a user: compiling all of its
    // source takes long.
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, paths: {} },
    include: ["**/*.ts"],
  };
  fs.writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(config));
  return {
    directory,
    snippets,
    [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}

function write(document: Document, directory: string, edit: (code: string) => string): Snippet[] {
  const folder = path.join(directory, document.path.replaceAll("/", "-"));
  const fences = fencesIn(document.text).filter(({ info }) => info[0] === "ts");
  return fences.map(({ info, line, code }) => {
    const name = /^\/\/ ([\w./-]+\.ts)\n/.exec(code)?.[1] ?? `line-${line}.ts`;
    const file = path.join(folder, name);
    if (fs.existsSync(file)) throw new Error(`${document.path} has two snippets named ${name}`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "\n".repeat(line - 1) + edit(code));
    const prints = Array.from(code.matchAll(/^\/\/ → (.*)$/gm), ([, text = ""]) => text);
    return { document: document.path, line, file, isRunnable: info.includes("runnable"), prints };
  });
}
