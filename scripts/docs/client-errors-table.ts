/** The table of the client's error classes: meaning, code and base class. */
import type { Class, PropertyDefinition } from "oxc-parser";
import { Visitor } from "oxc-parser";
import { readCommented } from "./comments.ts";
import { markdownTable } from "./table.ts";

const FILES = [
  "runtime/client/errors/errors.ts",
  "runtime/client/errors/service-error.ts",
  "runtime/client/errors/job-error.ts",
  "runtime/core/join.ts",
];

export function clientErrorsTable(): string {
  return markdownTable(["Class", "Extends", "`code`", "When"], FILES.flatMap(rowsOf));
}

function rowsOf(file: string): string[][] {
  const source = readCommented(file);
  const rows: string[][] = [];
  const add = (node: Class, start: number): void => {
    const base = node.superClass?.type === "Identifier" ? node.superClass.name : "";
    const name = node.id?.name ?? "";
    // The first paragraph of the comment. Some comments continue with an example or terms.
    const [says = ""] = source.commentBefore(start);
    if (name.endsWith("Error")) rows.push([`\`${name}\``, `\`${base}\``, codeOf(node), says]);
  };
  const visitor = new Visitor({
    ExportNamedDeclaration({ declaration, start }) {
      if (declaration?.type === "ClassDeclaration") add(declaration, start);
    },
  });
  visitor.visit(source.program);
  return rows;
}

/** The code of all instances; none for classes with several. */
function codeOf(node: Class): string {
  const definition = node.body.body.find(
    (member): member is PropertyDefinition =>
      member.type === "PropertyDefinition" &&
      member.key.type === "Identifier" &&
      member.key.name === "code",
  );
  const value = definition?.value;
  return value?.type === "Literal" && typeof value.value === "string" ? `\`${value.value}\`` : "";
}
