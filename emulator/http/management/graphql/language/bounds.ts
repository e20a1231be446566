/** Bounds of a document, so that it is quick to read, check and answer (ours; those of the live service are unknown). */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
  type ValueNode,
} from "graphql";
import { invalidRequest } from "../../../../core/service-error.ts";

/** Maximum number of tokens; a thousand environment variables have 8,000. */
export const TOKENS_MAX = 20_000;
/** Maximum depth of nested braces, brackets and parentheses, and of selections with fragments written out; clients need 6. */
export const NESTING_MAX = 30;
/** Maximum number of fields, spreads and inline fragments in an operation, with fragments written out; clients need some 40. */
export const FIELDS_MAX = 400;

const OPENING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const CLOSING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/**
 * Checks the nesting of a text. Call it before parsing, which needs a stack as deep as the nesting.
 * @throws ServiceError invalid_request; GraphQLError
 */
export function checkBounds(text: string): void {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  let depth = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1;
    if (tokens > TOKENS_MAX) throw tooLong();
    if (OPENING.has(kind)) depth += 1;
    else if (CLOSING.has(kind)) depth -= 1;
    if (depth > NESTING_MAX) throw tooDeep();
  }
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** @throws ServiceError invalid_request for two fragments with one name */
export function fragmentsIn({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const name = definition.name.value;
    if (fragments.has(name)) throw invalidRequest([`the document has two fragments named ${name}`]);
    fragments.set(name, definition);
  }
  return fragments;
}

/**
 * Checks the selections of operations and fragments against the bounds, with fragments written out. Call it before anything
 * else walks the document. It stops at a bound, so that a fragment with many spreads takes no longer than any other.
 * @throws ServiceError invalid_request
 */
export function checkSelections({ definitions }: DocumentNode, fragments: Fragments): void {
  const sizes = new Map<FieldNode, number>();
  for (const definition of definitions)
    if ("selectionSet" in definition) expand(definition.selectionSet, fragments, sizes);
}

function expand(
  selected: SelectionSetNode,
  fragments: Fragments,
  sizes: Map<FieldNode, number>,
): void {
  let fields = 0;
  let values = 0;
  const walk = (set: SelectionSetNode, within: readonly string[], depth: number) => {
    if (depth > NESTING_MAX) throw tooDeep();
    for (const selection of set.selections) {
      fields += 1;
      if (fields > FIELDS_MAX)
        throw invalidRequest([`the document selects more than ${FIELDS_MAX} fields`]);
      if (selection.kind === Kind.FIELD) {
        const size = sizes.get(selection) ?? valuesOf(selection);
        sizes.set(selection, size);
        values += size;
        if (values > TOKENS_MAX) throw tooLong();
      }
      const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
      if (name !== undefined && within.includes(name))
        throw invalidRequest([`the fragment ${name} spreads itself`]);
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments.get(selection.name.value)?.selectionSet
          : selection.selectionSet;
      if (below) walk(below, name === undefined ? within : [...within, name], depth + 1);
    }
  };
  walk(selected, [], 1);
}

function valuesOf({ arguments: given = [] }: FieldNode): number {
  return given.reduce((sum, { value }) => sum + valuesIn(value), 0);
}

/** Each match is one token or several. */
function valuesIn(value: ValueNode): number {
  if (value.kind === Kind.LIST) return value.values.reduce((sum, each) => sum + valuesIn(each), 1);
  if (value.kind !== Kind.OBJECT) return 1;
  return value.fields.reduce((sum, field) => sum + valuesIn(field.value), 1);
}

function tooDeep() {
  return invalidRequest([`the document is nested more than ${NESTING_MAX} deep`]);
}

function tooLong() {
  return invalidRequest([`the document has more than ${TOKENS_MAX} tokens`]);
}
