/** Makes tables and OpenAPI summaries of the operations from the comments of their source. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writtenPath } from "../../emulator/http/schemas/path-parameters.ts";
import { routesOf } from "../../emulator/http/operation/operation.ts";
import { OPERATIONS } from "../../emulator/http/operations.ts";
import { REST_V2_OPERATIONS } from "../../emulator/http/management/rest-v2-operations.ts";
import { type CommentedSource, readCommented } from "./comments.ts";
import { markdownTable } from "./table.ts";

/** Breaks longer lines, as the formatter does. */
const LINE_WIDTH = 100;

/** The lists of operations, and their files. */
const LISTS = [
  { list: "emulator/http/operations.ts", operations: OPERATIONS },
  { list: "emulator/http/management/rest-v2-operations.ts", operations: REST_V2_OPERATIONS },
];

const ALL = LISTS.flatMap(({ operations }) => Object.entries(operations));

/** @param prefix of the path: `/v1/`, `/v2/` or `/emulator/` */
export function operationsTable(prefix: string): string {
  const says = openings();
  const rows = Object.entries(OPERATIONS)
    .filter(([, { path }]) => (prefix === "/" ? path === prefix : path.startsWith(prefix)))
    .flatMap(([name, operation]) =>
      routesOf(operation).map(({ methods, path }, at) => {
        const calls = methods.map((method) => `\`${method}\``).join(", ");
        return [calls, `\`${writtenPath(path)}\``, at === 0 ? says(name) : "The same."];
      }),
    );
  return markdownTable(["Method", "Path", "What it does"], rows);
}

/** The content of the file `emulator/http/operation/openapi/summaries.ts`, without the sources of rules. */
export function summariesSource(before: string): string {
  const [head = ""] = before.split("= {", 1);
  const says = openings();
  const lines = ALL.map(([name]) => {
    const plain = says(name).replaceAll(/ \((?:spec|ours|live)\b[^()]*\)/g, "");
    const line = `  ${name}: ${JSON.stringify(plain)},`;
    return `${line.length <= LINE_WIDTH ? line : line.replace(": ", ":\n    ")}\n`;
  });
  return `${head}= {\n${lines.join("")}};\n`;
}

/** The first sentence of an operation's file, or of the comment before it in a file with several. */
function openings(): (name: string) => string {
  const sentences = new Map(LISTS.flatMap(({ list }) => sentencesOf(list)));
  return (name) => {
    const sentence = sentences.get(name);
    if (sentence === undefined) throw new Error(`the operation ${name} has no comment`);
    return capitalised(sentence.replace(/^`[^`]*`: /, ""));
  };
}

/** The sentences of the operations that the file with the list imports. */
function sentencesOf(list: string): (readonly [name: string, sentence: string])[] {
  const url = new URL(`../../${list}`, import.meta.url);
  const imports = readFileSync(url, "utf8").matchAll(/^import \{ (\w+) \} from "\.\/(.+)";$/gm);
  return Array.from(imports, ([, name = "", file = ""]) => {
    const source = readCommented(`${dirname(list)}/${file}`);
    return name.endsWith("_OPERATIONS") ? listed(source) : [[name, source.opening] as const];
  }).flat();
}

/** The operations of the list that the file exports, each with the comment before it. */
function listed(source: CommentedSource): (readonly [string, string])[] {
  const properties = source.program.body
    .filter((node) => node.type === "ExportNamedDeclaration")
    .flatMap(({ declaration }) =>
      declaration?.type === "VariableDeclaration" ? declaration.declarations : [],
    )
    .flatMap(({ init }) => (init?.type === "ObjectExpression" ? init.properties : []));
  return properties.flatMap((property) =>
    property.type === "Property" && property.key.type === "Identifier"
      ? [[property.key.name, source.commentBefore(property.start).join(" ")] as const]
      : [],
  );
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
