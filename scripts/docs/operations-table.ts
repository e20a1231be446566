/** What the operations do, from the first lines of their files: as tables for readers, as summaries for the OpenAPI document. */
import { readFileSync } from "node:fs";
import { writtenPath } from "../../emulator/http/schemas/path-parameters.ts";
import { routesOf } from "../../emulator/http/operation.ts";
import { OPERATIONS } from "../../emulator/http/operations.ts";
import { readCommented } from "./comments.ts";
import { markdownTable } from "./table.ts";

/** Longer lines are broken, as the formatter does. */
const LINE_WIDTH = 100;

const folder = "emulator/http";

/** @param prefix of the path: `/v1/`, `/v2/` or `/emulator/` */
export function operationsTable(prefix: string): string {
  const says = openings();
  const rows = Object.entries(OPERATIONS)
    .filter(([, { path }]) => path.startsWith(prefix))
    .flatMap(([name, operation]) =>
      routesOf(operation).map(({ methods, path }, at) => {
        const calls = methods.map((method) => `\`${method}\``).join(", ");
        return [calls, `\`${writtenPath(path)}\``, at === 0 ? says(name) : "The same."];
      }),
    );
  return markdownTable(["Method", "Path", "What it does"], rows);
}

/** The file `emulator/http/openapi/summaries.ts` as it is to be: without the sources of rules, which are of no use there. */
export function summariesSource(before: string): string {
  const [head = ""] = before.split("= {", 1);
  const says = openings();
  const lines = Object.keys(OPERATIONS).map((name) => {
    const plain = says(name).replaceAll(/ \((?:spec|ours|live)\b[^()]*\)/g, "");
    const line = `  ${name}: ${JSON.stringify(plain)},`;
    return `${line.length <= LINE_WIDTH ? line : line.replace(": ", ":\n    ")}\n`;
  });
  return `${head}= {\n${lines.join("")}};\n`;
}

/** The sentence that opens the file of an operation, by the imports of their list. */
function openings(): (name: string) => string {
  const list = new URL(`../../${folder}/operations.ts`, import.meta.url);
  const imports = readFileSync(list, "utf8").matchAll(/^import \{ (\w+) \} from "\.\/(.+)";$/gm);
  const files = new Map(Array.from(imports, ([, name = "", file = ""]) => [name, file]));
  return (name) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`no file exports the operation ${name}`);
    return capitalised(readCommented(`${folder}/${file}`).opening.replace(/^`[^`]*`: /, ""));
  };
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
