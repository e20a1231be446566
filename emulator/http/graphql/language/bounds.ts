/** Bounds of a document, so that none takes long to read, check or answer (ours; those of the live service are not known). */
import { Lexer, Source, TokenKind } from "graphql";
import type { SelectionSetNode } from "graphql";
import { invalidRequest } from "../../../core/service-error.ts";

/** A thousand environment variables have 8,000. */
export const TOKENS_MAX = 20_000;
/** Of braces, brackets and parentheses within each other; clients need 6. */
export const NESTING_MAX = 30;
/** Selected in one document; clients need some 40. */
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

/** To be called before the text is parsed, which takes a stack as deep as its nesting. @throws ServiceError invalid_request; GraphQLError */
export function checkBounds(text: string): void {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  let depth = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1;
    if (tokens > TOKENS_MAX)
      throw invalidRequest([`the document has more than ${TOKENS_MAX} tokens`]);
    if (OPENING.has(kind)) depth += 1;
    else if (CLOSING.has(kind)) depth -= 1;
    if (depth > NESTING_MAX)
      throw invalidRequest([`the document is nested more than ${NESTING_MAX} deep`]);
  }
}

/** @throws ServiceError invalid_request */
export function checkFields(selected: SelectionSetNode): void {
  if (countOf(selected) > FIELDS_MAX)
    throw invalidRequest([`the document selects more than ${FIELDS_MAX} fields`]);
}

function countOf(selected: SelectionSetNode | undefined): number {
  const fields = selected?.selections ?? [];
  return fields.reduce((sum, field) => {
    const below = "selectionSet" in field ? countOf(field.selectionSet) : 0;
    return sum + 1 + below;
  }, 0);
}
