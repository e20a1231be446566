/** Finds the programs that sources start: arguments of node:child_process, and of functions that pass them on to it. */
import path from "node:path";
import { type Argument, type CallExpression, type Node, Visitor } from "oxc-parser";
import { importsOf, targetOf } from "./imports.ts";
import type { Source } from "./source.ts";
import { typedPrograms } from "./typed-programs.ts";

const STARTS = /^(?:spawn|execFile)(?:Sync)?$/;

interface Call {
  readonly node: CallExpression;
  /** Name of the called function, without its object. */
  readonly name: string;
  /** The functions around it, the outermost first. */
  readonly within: readonly NamedFunction[];
}

interface NamedFunction {
  readonly name: string;
  readonly firstParameter: string | undefined;
  readonly isExported: boolean;
}

/** Functions that pass their first parameter on to be started, and whether they are exported, by `path name`. */
type Starters = ReadonlyMap<string, boolean>;

interface FileCalls {
  readonly path: string;
  readonly imports: ReadonlySet<string>;
  readonly calls: readonly Call[];
}

/** Names of programs that each file starts, by its path; names known only at run time are left out. */
export function startedPrograms(
  sources: readonly Source[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const files = sources.map(callsOf);
  const starters = startersAmong(files);
  return new Map(
    files.map((file) => {
      const starts = file.calls.filter((call) => isStart(call, file, starters));
      return [file.path, new Set(starts.flatMap(({ node }) => programsOf(node)))];
    }),
  );
}

function startersAmong(files: readonly FileCalls[]): Starters {
  const starters = new Map<string, boolean>();
  for (let before = -1; before < starters.size;) {
    before = starters.size;
    for (const file of files) {
      for (const call of file.calls.filter((each) => isStart(each, file, starters))) {
        const [program] = call.node.arguments;
        if (program?.type !== "Identifier") continue;
        const owner = call.within.findLast((each) => each.firstParameter === program.name);
        if (owner !== undefined) starters.set(`${file.path} ${owner.name}`, owner.isExported);
      }
    }
  }
  return starters;
}

/** A function is known in its own file; an exported one, or the result of one, also in files that import it. */
function isStart({ name }: Call, file: FileCalls, starters: Starters): boolean {
  if (STARTS.test(name) && file.imports.has("node:child_process")) return true;
  if (starters.has(`${file.path} ${name}`)) return true;
  return [...file.imports].some((from) => starters.get(`${from} ${name}`) === true);
}

function callsOf(source: Source): FileCalls {
  const calls: Call[] = [];
  const within: NamedFunction[] = [];
  const names = new Map<Node, string>();
  const promisified = new Map<string, string>();
  let isExported = false;
  const enter = (node: Node & { readonly params: readonly Node[] }): void => {
    const [first] = node.params;
    const firstParameter = first?.type === "Identifier" ? first.name : undefined;
    within.push({ name: names.get(node) ?? "", firstParameter, isExported });
  };
  const leave = (): void => void within.pop();
  new Visitor({
    ExportNamedDeclaration: () => void (isExported = true),
    "ExportNamedDeclaration:exit": () => void (isExported = false),
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "Identifier" || init === null) return;
      names.set(init, id.name);
      if (init.type === "CallExpression") promisified.set(id.name, nameOf(init));
    },
    Property: ({ key, value }) => void names.set(value, nameOf(key)),
    MethodDefinition: ({ key, value }) => void names.set(value, nameOf(key)),
    FunctionDeclaration(node) {
      if (node.id !== null) names.set(node, node.id.name);
      enter(node);
    },
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    CallExpression(node) {
      const name = nameOf(node.callee);
      calls.push({ node, name: promisified.get(name) ?? name, within: [...within] });
    },
  }).visit(source.program);
  const imports = importsOf(source).map(
    ({ specifier }) => targetOf(source.path, specifier) ?? specifier,
  );
  return { path: source.path, imports: new Set(imports), calls };
}

/** Also for `object.name` and `promisify(name)`; empty for anything else. */
function nameOf(node: Node): string {
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") return node.name;
  if (node.type === "MemberExpression") return nameOf(node.property);
  const [first] = node.type === "CallExpression" ? node.arguments : [];
  const isPromisified = node.type === "CallExpression" && nameOf(node.callee) === "promisify";
  return isPromisified && first !== undefined ? nameOf(first) : "";
}

function programsOf({ arguments: [program, args] }: CallExpression): readonly string[] {
  const name = textOf(program);
  if (name === undefined) return [];
  const [flag, script] = args?.type === "ArrayExpression" ? args.elements : [];
  const typed = textOf(flag) === "-c" ? textOf(script) : undefined;
  const isShell = /(?:^|\/)(?:ba)?sh$/.test(name);
  return [
    path.basename(name),
    ...(isShell && typed !== undefined ? typedPrograms(typed, name) : []),
  ];
}

function textOf(node: Argument | null | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}
