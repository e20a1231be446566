/**
 * Writes documents of GraphQL with fragments: documents with a part of their fields moved there, and documents
 * that grow when they are expanded.
 */
import fc from "fast-check";
import {
  type DefinitionNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  parse,
  print,
  type SelectionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { seededNumbers } from "../model/random-source.ts";

/**
 * The document with runs of its fields in fragments, named and inline ones, chosen by `seed`. It requests the same
 * fields in the same order.
 */
export function withFragments(schema: GraphQLSchema, document: string, seed: number): string {
  const chance = seededNumbers(seed);
  const types = new TypeInfo(schema);
  const fragments: DefinitionNode[] = [];
  const moved = visit(
    parse(document, { noLocation: true }),
    visitWithTypeInfo(types, {
      SelectionSet: {
        leave(set) {
          const type = types.getParentType()?.name;
          if (type === undefined || chance() < 0.4) return undefined;
          const from = Math.floor(chance() * set.selections.length);
          const to = from + 1 + Math.floor(chance() * (set.selections.length - from));
          const run = set.selections.slice(from, to);
          const put = chance() < 0.5 ? inline(type, run) : named(type, run);
          return { ...set, selections: set.selections.toSpliced(from, run.length, put) };
        },
      },
    }),
  );
  return print({ ...moved, definitions: [...moved.definitions, ...fragments] });

  function inline(type: string, selections: readonly SelectionNode[]): SelectionNode {
    const condition = chance() < 0.5 ? { typeCondition: typeNamed(type) } : {};
    return { kind: Kind.INLINE_FRAGMENT, ...condition, selectionSet: setOf(selections) };
  }

  function named(type: string, selections: readonly SelectionNode[]): SelectionNode {
    const name = { kind: Kind.NAME, value: `F${fragments.length}` } as const;
    const typeCondition = typeNamed(type);
    const selectionSet = setOf(selections);
    fragments.push({ kind: Kind.FRAGMENT_DEFINITION, name, typeCondition, selectionSet });
    return { kind: Kind.FRAGMENT_SPREAD, name };
  }
}

function setOf(selections: readonly SelectionNode[]) {
  return { kind: Kind.SELECTION_SET, selections } as const satisfies FieldNode["selectionSet"];
}

function typeNamed(value: string) {
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value } } as const;
}

/**
 * A fragment that spreads the one below it `spreads` times, `levels` deep: a few hundred bytes for very many
 * fields.
 */
export function fragmentBomb(levels: number, spreads: number, last = "id"): string {
  const fragments = Array.from({ length: levels }, (_, level) => {
    const below = level + 1 === levels ? last : `...L${level + 1} `;
    return `fragment L${level} on User { ${below.repeat(level + 1 === levels ? 1 : spreads)} }`;
  });
  return `{ myself { ...L0 } } ${fragments.join(" ")}`;
}

export const anyBomb: fc.Arbitrary<string> = fc
  .tuple(
    fc.integer({ min: 1, max: 900 }),
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom("id", "...L0", "pods { id }", "endpoints { ...L0 }", "...Unknown"),
  )
  .map(([levels, spreads, last]) => fragmentBomb(levels, spreads, last));
