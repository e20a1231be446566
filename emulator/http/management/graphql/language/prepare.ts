/** Reads, checks and answers a document. Loaded with the first request, because loading takes time. */
import {
  buildSchema,
  type DocumentNode,
  execute,
  type ExecutionResult,
  type FieldNode,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  validate,
} from "graphql";
import { invalidRequest } from "../../../../core/service-error.ts";
import type { GraphqlRequest } from "../graphql-request.ts";
import { checkBounds, checkSelections, type Fragments, fragmentsIn, TOKENS_MAX } from "./bounds.ts";
import { INPUT_TYPES } from "./input-types.ts";
import { OUTPUT_TYPES } from "./output-types.ts";
import { FIRST_RULES, OTHER_RULES } from "./rules.ts";

const schema = buildSchema(`${OUTPUT_TYPES}${INPUT_TYPES}`);

const ERRORS_MAX = 5;

export interface RootField {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Names of its selected subfields. */
  readonly below: ReadonlySet<string>;
}

export interface Prepared {
  readonly isMutation: boolean;
  readonly fields: readonly RootField[];
  /**
   * Answers the document. `root` has a function for each field.
   * @param context passed to each function
   */
  answer(root: object, context: unknown): Promise<ExecutionResult>;
}

/** @throws ServiceError invalid_request with the message of the first error */
export function prepare({ query, variables, operationName }: GraphqlRequest): Prepared {
  const document = refusing(() => read(query));
  const fragments = fragmentsIn(document);
  checkSelections(document, fragments);
  const operation = operationIn(document, operationName);
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    throw invalidRequest(["subscriptions are not served by GraphQL here"]);
  for (const rules of [FIRST_RULES, OTHER_RULES])
    refuseAny(validate(schema, document, rules, { maxErrors: ERRORS_MAX }));
  return {
    isMutation: operation.operation === OperationTypeNode.MUTATION,
    fields: refusing(() => rootFields(operation, fragments, variables)),
    answer: async (root, context) =>
      execute({
        ...{ schema, document, operationName },
        rootValue: root,
        contextValue: context,
        variableValues: variables,
      }),
  };
}

function read(query: string): DocumentNode {
  checkBounds(query);
  return parse(query, { maxTokens: TOKENS_MAX, noLocation: true });
}

function operationIn(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  const problem =
    name === undefined
      ? "the document must have one query or mutation, or operationName name one of them"
      : `the document has no query or mutation named ${name}`;
  throw invalidRequest([problem]);
}

function rootFields(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: GraphqlRequest["variables"],
): readonly RootField[] {
  const { variableDefinitions = [], selectionSet } = operation;
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: ERRORS_MAX,
  });
  if (errors) refuseAny(errors);
  const types = schema.getRootType(operation.operation)?.getFields() ?? {};
  return fieldsOf(selectionSet, fragments).flatMap((node) => {
    const type = types[node.name.value];
    if (!type) return [];
    const args = getArgumentValues(type, node, coerced);
    const below = new Set(fieldsOf(node.selectionSet, fragments).map(({ name }) => name.value));
    return { name: type.name, args, below };
  });
}

/** The fields of a selection and its fragments. All have the same type: there are no interfaces and no unions. */
function fieldsOf(selected: FieldNode["selectionSet"], fragments: Fragments): readonly FieldNode[] {
  const selections = selected?.selections ?? [];
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return node;
    const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
    return fieldsOf((isSpread ? fragments.get(node.name.value) : node)?.selectionSet, fragments);
  });
}

/** @throws ServiceError invalid_request instead of a GraphQLError */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof GraphQLError) refuseAny([error]);
    throw error;
  }
}

function refuseAny(errors: readonly GraphQLError[]): void {
  if (errors.length > 0) throw invalidRequest(errors.map(({ message }) => message));
}
