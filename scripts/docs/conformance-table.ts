/** The table of the interface's rules and their tests: the rules from their list, the tests from calls of `rule`. */
import fs from "node:fs";
import path from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { RULES, type RuleTable } from "../../test/conformance/rules.ts";
import { markdownTable } from "./table.ts";

const root = path.resolve(import.meta.dirname, "../..");
const folder = "test/conformance";

/** The rules of a table, each with the file of its test. @throws Error if a rule has no test, or two */
export function conformanceTable(table: RuleTable): string {
  const shown = findTests();
  const rows = RULES[table].map((rule) => {
    const files = shown.get(rule) ?? [];
    const [file] = files;
    if (file === undefined) throw new Error(`no test shows that ${rule}`);
    if (files.length > 1) throw new Error(`several tests are named "${rule}"`);
    return [rule, `[${file}](../${folder}/${file})`];
  });
  return markdownTable(["Rule", "Shown by"], rows);
}

/** The files that call `rule` with each name. */
function findTests(): ReadonlyMap<string, readonly string[]> {
  const shown = new Map<string, string[]>();
  for (const file of fs.readdirSync(path.join(root, folder)).toSorted()) {
    if (!file.endsWith(".test.ts")) continue;
    for (const name of namesIn(file)) shown.set(name, [...(shown.get(name) ?? []), file]);
  }
  return shown;
}

function namesIn(file: string): readonly string[] {
  const names: string[] = [];
  const { program } = parseSync(file, fs.readFileSync(path.join(root, folder, file), "utf8"));
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [name] }) {
      if (callee.type !== "Identifier" || callee.name !== "rule") return;
      if (name?.type === "Literal" && typeof name.value === "string") names.push(name.value);
    },
  });
  visitor.visit(program);
  return names;
}
