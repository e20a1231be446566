/**
 * Makes types of the service's answers for the dashboard and the commands, from the OpenAPI document. Tests check answers
 * against the document.
 */
import { CONTRACT_DIALECT } from "../../emulator/http/operation/dialects/contract-dialect.ts";
import { createDocument } from "../../emulator/http/operation/openapi/document.ts";
import { operationsOf } from "../../emulator/http/router.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Answering {
  readonly operationId?: string;
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

const HEAD =
  "/** What the service answers, from its OpenAPI document: written by `npm run docs`. */\n";

/** The content of the file `runtime/protocol/generated/answers.ts`. */
export function answerTypesSource(): string {
  const { paths = {}, components } = createDocument(
    operationsOf(CONTRACT_DIALECT),
    CONTRACT_DIALECT,
  );
  const answers = Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, Answering>).flatMap(answerOf),
  );
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const used = namesUsed(
    answers.map(([, schema]) => schema),
    schemas,
  );
  const types = Object.entries(schemas)
    .filter(([name]) => used.has(name))
    .map(([name, schema]) => `\nexport type ${name} = ${typeOf(schema)};\n`);
  const lines = answers.map(([name, schema]) => `  readonly ${name}: ${typeOf(schema)};\n`);
  return `${HEAD}${types.join("")}\n/** By operation. */\nexport interface Answers {\n${lines.join("")}}\n`;
}

function answerOf({ operationId, responses = {} }: Answering): readonly [string, Schema][] {
  const [answer] = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, { content = {} }]) => content["application/json"]?.schema ?? []);
  return operationId === undefined || answer === undefined ? [] : [[operationId, answer]];
}

/** The schemas with all schemas that they refer to, recursively. */
function namesUsed(
  roots: readonly Schema[],
  schemas: Readonly<Record<string, Schema>>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (text: string) => {
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      look(JSON.stringify(schemas[name]));
    }
  };
  look(JSON.stringify(roots));
  return found;
}

function typeOf(schema: Schema | boolean | undefined): string {
  if (schema === undefined || typeof schema === "boolean") return "unknown";
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return union(several.map(typeOf));
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => `(${typeOf(part)})`).join(" & ");
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.length === 0 ? "unknown" : union(types.map((type) => typeNamed(type, schema)));
}

function typeNamed(type: string, schema: Schema): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly (${typeOf(schema.items)})[]`;
    default:
      return objectType(schema);
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  const others =
    typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown";
  if (properties === undefined) return `Readonly<Record<string, ${others}>>`;
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `readonly ${key}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `{ ${members.join(" ")} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}
