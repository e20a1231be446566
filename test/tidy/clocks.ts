/** The pure parts and the engine receive a clock and a random source. This check reports code that reads them directly. */
import type {
  CallExpression,
  ImportDeclaration,
  MemberExpression,
  NewExpression,
} from "oxc-parser";
import { gather, type Source } from "./source.ts";

const watched = /^(emulator\/(core|engine)|runtime\/core)\//;

const members = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "process.hrtime",
  "process.uptime",
  "process.nextTick",
  "crypto.randomUUID",
  "crypto.getRandomValues",
]);
const globals = /^(setTimeout|setInterval|setImmediate|queueMicrotask)$/;
const modules = /^node:(timers|timers\/promises|perf_hooks)$/;
const drawnFrom: Readonly<Record<string, RegExp>> = {
  "node:crypto": /^(random|getRandom|webcrypto$)/,
  uuidv7: /^uuidv[47]/,
};

export function clockOffences(source: Source): string[] {
  if (!watched.test(source.path)) return [];
  return gather(source, (report) => {
    const say = (start: number, what: string): void =>
      report(start, `reads time or chance by ${what}; take a Clock or Random instead`);
    return {
      MemberExpression: (node: MemberExpression) => {
        const name = dotted(node);
        if (members.has(name.replace(/^globalThis\./, ""))) say(node.start, name);
        else if (name.startsWith("globalThis.") && globals.test(name.slice(11))) {
          say(node.start, name);
        }
      },
      CallExpression: (node: CallExpression) => {
        if (node.callee.type !== "Identifier") return;
        const { name } = node.callee;
        if (globals.test(name) || name === "Date") say(node.start, `${name}()`);
      },
      NewExpression: (node: NewExpression) => {
        const isDate = node.callee.type === "Identifier" && node.callee.name === "Date";
        if (isDate && node.arguments.length === 0) say(node.start, "new Date()");
      },
      ImportDeclaration: (node: ImportDeclaration) => {
        if (modules.test(node.source.value)) say(node.start, node.source.value);
        for (const name of importedNames(node)) {
          if (drawnFrom[node.source.value]?.test(name) === true) say(node.start, name);
        }
      },
    };
  });
}

function importedNames(node: ImportDeclaration): string[] {
  return node.specifiers.map((entry) => {
    if (entry.type !== "ImportSpecifier") return entry.local.name;
    return entry.imported.type === "Identifier" ? entry.imported.name : entry.imported.value;
  });
}

/** Returns `a.b.c` as text, with `?` for a computed part. */
function dotted(node: MemberExpression): string {
  const property = node.property;
  const last =
    property.type === "Identifier" && !node.computed
      ? property.name
      : property.type === "Literal"
        ? String(property.value)
        : "?";
  if (node.object.type === "Identifier") return `${node.object.name}.${last}`;
  return node.object.type === "MemberExpression" ? `${dotted(node.object)}.${last}` : `?.${last}`;
}
