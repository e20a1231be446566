/** Finds all references from one file to another: import, export from, import(), import types and URLs beside the file. */
import path from "node:path";
import type { Expression, ImportExpression, NewExpression, TSImportType } from "oxc-parser";
import { gather, type Source } from "./source.ts";

export interface Import {
  readonly specifier: string;
  readonly start: number;
}

/** Several rules ask for the imports of one file. */
const known = new WeakMap<Source, readonly Import[]>();

export function importsOf(source: Source): readonly Import[] {
  const imports = known.get(source) ?? findImports(source);
  known.set(source, imports);
  return imports;
}

function findImports(source: Source): readonly Import[] {
  const found: Import[] = [];
  const add = (literal: { readonly value: unknown; readonly start: number } | null): void => {
    if (typeof literal?.value === "string") {
      found.push({ specifier: literal.value, start: literal.start });
    }
  };
  gather(source, () => ({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node: ImportExpression) => add(constantText(node.source)),
    TSImportType: (node: TSImportType) => add(node.source),
  }));
  return found.toSorted((a, b) => a.start - b.start);
}

/** A string, or a template without gaps; anything else is only known when the program runs. */
function constantText(node: Expression): { value: string; start: number } | null {
  if (node.type === "Literal" && typeof node.value === "string") {
    return { value: node.value, start: node.start };
  }
  if (node.type === "TemplateLiteral" && node.expressions.length === 0) {
    return { value: node.quasis[0]?.value.cooked ?? "", start: node.start };
  }
  return null;
}

/** Where a relative import leads, as a path from the root; undefined for packages. */
export function targetOf(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return path.posix.join(path.posix.dirname(file), specifier);
}

/** Node runs the source as it is and the build rewrites the ending, so the ending must be there and be the real one. */
export function endingOffences(source: Source): string[] {
  const offences = importsOf(source)
    .filter(
      ({ specifier }) => specifier.startsWith(".") && !/\.(tsx?|mjs|json|css)$/.test(specifier),
    )
    .map(({ specifier }) => `${source.path} imports "${specifier}", which does not end in .ts`);
  if (!/^(runtime|emulator)\//.test(source.path)) return offences;
  return [...offences, ...gather(source, (report) => ({ NewExpression: urlRule(report) }))];
}

/** The build rewrites import endings only: in dist/, a URL that ends in .ts leads nowhere. */
function urlRule(report: (start: number, sentence: string) => void) {
  return (node: NewExpression): void => {
    const [first] = node.arguments;
    if (node.callee.type !== "Identifier" || node.callee.name !== "URL" || !first) return;
    if (first.type === "Literal" && String(first.value).endsWith(".ts")) {
      report(first.start, `builds the URL "${String(first.value)}", which does not exist in dist/`);
    }
  };
}
