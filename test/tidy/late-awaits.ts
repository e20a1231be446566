/**
 * Finds promises that are awaited only after another await: they may reject before, which ends the process. Looks at async functions
 * and methods of the same file.
 */
import type { BlockStatement, Node, Statement } from "oxc-parser";
import { gather, type Source } from "./source.ts";

export function lateAwaitOffences(source: Source): string[] {
  const asyncNames = new Set(
    [...source.text.matchAll(/\basync (?:function )?(#?\w+)/gu)].map(([, name]) => name),
  );
  return gather(source, (report) => ({
    BlockStatement: ({ body }: BlockStatement) => {
      for (const [at, statement] of body.entries())
        for (const name of promisesOf(statement, asyncNames))
          if (isAwaitedLate(body.slice(at + 1), name))
            report(statement.start, `begins ${name}, and awaits something else before it`);
    },
  }));
}

/** Names of the statement's constants that hold the promise of an async function of the file. */
function promisesOf(statement: Statement, asyncNames: ReadonlySet<string | undefined>): string[] {
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ id, init }) => {
    if (id.type !== "Identifier" || !init || has(init, isAwait)) return [];
    return has(init, (node) => isCallOf(node, asyncNames)) ? [id.name] : [];
  });
}

function isCallOf(node: Node, names: ReadonlySet<string | undefined>): boolean {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "Identifier") return names.has(callee.name);
  if (callee.type !== "MemberExpression" || callee.object.type !== "ThisExpression") return false;
  const { property } = callee;
  return property.type === "PrivateIdentifier" && names.has(`#${property.name}`);
}

/** True if a statement awaits something else before one that names the promise. */
function isAwaitedLate(following: readonly Statement[], name: string): boolean {
  const next = following.findIndex((statement) => has(statement, (node) => isNamed(node, name)));
  return following.slice(0, Math.max(0, next)).some((statement) => has(statement, isAwait));
}

function isNamed(node: Node, name: string): boolean {
  return node.type === "Identifier" && node.name === name;
}

function isAwait({ type }: Node): boolean {
  return type === "AwaitExpression";
}

/** Whether the node, or one below it outside further functions, is one of these. */
function has(node: Node, isMeant: (node: Node) => boolean): boolean {
  if (isMeant(node)) return true;
  if (node.type.includes("Function")) return false;
  return Object.values(node)
    .flat()
    .some((child: unknown) => isNode(child) && has(child, isMeant));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
