/** Rules that a document must satisfy, and the messages of its refusal. */
import {
  ExecutableDefinitionsRule,
  FragmentsOnCompositeTypesRule,
  GraphQLError,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  LoneAnonymousOperationRule,
  NoSchemaIntrospectionCustomRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  OverlappingFieldsCanBeMergedRule,
  PossibleFragmentSpreadsRule,
  ProvidedRequiredArgumentsRule,
  ScalarLeafsRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesAreInputTypesRule,
} from "graphql";
import { closestName } from "../../../../../runtime/protocol/did-you-mean.ts";

/** Every field must be served here. An unknown field is reported before any other error. */
const fieldsAreServed: ValidationRule = (context) => ({
  Field(node) {
    const type = context.getParentType();
    if (!type || context.getFieldDef()) return;
    const name = node.name.value;
    const fields = "getFields" in type ? Object.keys(type.getFields()) : [];
    context.reportError(new GraphQLError(notServed(type.name, name, fields), { nodes: node }));
  },
});

function notServed(typeName: string, name: string, fields: readonly string[]): string {
  const near = closestName(name, fields);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  const kind = { Query: "query", Mutation: "mutation" }[typeName];
  if (kind === undefined) return `the type ${typeName} has no field ${name} here${hint}`;
  const others = `; served: ${fields.join(", ")}`;
  return `the ${kind} ${name} is not served by GraphQL here${hint === "" ? others : hint}`;
}

export const FIRST_RULES: readonly ValidationRule[] = [
  ExecutableDefinitionsRule,
  NoSchemaIntrospectionCustomRule,
  fieldsAreServed,
];

/**
 * Rules of the specification, except two: clients define variables that they do not use, and pass a `String` for an enum
 * (live). Recursive fragments and two with one name are refused before (`bounds.ts`).
 */
export const OTHER_RULES: readonly ValidationRule[] = [
  UniqueOperationNamesRule,
  LoneAnonymousOperationRule,
  KnownTypeNamesRule,
  FragmentsOnCompositeTypesRule,
  KnownFragmentNamesRule,
  NoUnusedFragmentsRule,
  PossibleFragmentSpreadsRule,
  VariablesAreInputTypesRule,
  ScalarLeafsRule,
  UniqueVariableNamesRule,
  NoUndefinedVariablesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  KnownArgumentNamesRule,
  UniqueArgumentNamesRule,
  ValuesOfCorrectTypeRule,
  ProvidedRequiredArgumentsRule,
  UniqueInputFieldNamesRule,
  OverlappingFieldsCanBeMergedRule,
];
