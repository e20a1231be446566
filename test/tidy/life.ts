/** A worker's life changes in one function only, by its table; this rule finds all other changes. */
import type { AssignmentExpression, MethodDefinition, ObjectExpression } from "oxc-parser";
import { gather, type Source } from "./source.ts";

const mover = "emulator/engine/workers/move-worker.ts";
const table = "emulator/core/workers/worker-transition.ts";

export function lifeOffences(source: Source): string[] {
  if (!source.path.startsWith("emulator/") || [mover, table].includes(source.path)) return [];
  const constructors: MethodDefinition[] = [];
  const isBorn = ({ left, start }: AssignmentExpression) =>
    left.type === "MemberExpression" &&
    left.object.type === "ThisExpression" &&
    constructors.some((made) => made.start < start && start < made.end);
  return gather(source, (report) => ({
    MethodDefinition: (node: MethodDefinition) => {
      if (node.kind === "constructor") constructors.push(node);
    },
    AssignmentExpression: (node: AssignmentExpression) => {
      const { left } = node;
      if (left.type !== "MemberExpression" || left.property.type !== "Identifier") return;
      if (left.property.name === "life" && !isBorn(node)) report(node.start, "moves a worker");
    },
    ObjectExpression: (node: ObjectExpression) => {
      if (movesLife(node)) report(node.start, "copies a worker's life with another phase");
    },
  }));
}

/** `{ ...life, phase: x }`: a fresh object without a spread is allowed. */
function movesLife({ properties }: ObjectExpression): boolean {
  const spreadAt = properties.findIndex(({ type }) => type === "SpreadElement");
  return properties.some(
    (property, index) =>
      spreadAt !== -1 &&
      index > spreadAt &&
      property.type === "Property" &&
      property.key.type === "Identifier" &&
      property.key.name === "phase",
  );
}
