/** Makes the OpenAPI 3.1 document of the interface from the operations' contracts. */
import { z } from "zod";
import {
  createDocument as createOpenApi,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { type AnswerContract, type Contract, TAGS } from "../../schemas/contract.ts";
import { PATH_PARAMETERS, parametersOf, writtenPath } from "../../schemas/path-parameters.ts";
import { type Dialect, refusalShapeAt } from "../dialect.ts";
import { type Method, type Operation, routesOf } from "../operation.ts";
import type { OpenApiDocument } from "./endpoint-paths.ts";
import { errorAnswers } from "./error-answers.ts";
import { SUMMARIES } from "./summaries.ts";

/**
 * The document of all `operations` in that dialect.
 * @throws Error for an operation without a summary, or a path parameter without a description
 */
export function createDocument(
  operations: Readonly<Record<string, Operation>>,
  dialect: Dialect,
): OpenApiDocument {
  const { basePath, refusals } = dialect;
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, operation] of Object.entries(operations)) {
    const described = describe(name, operation, dialect);
    for (const [at, { method, path }] of callsOf(operation).entries()) {
      const operationId = at === 0 ? name : `${name}By${inWords(method)}`;
      paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, ...described } };
    }
  }
  const used = new Set(Object.values(operations).map(({ contract }) => contract.tag));
  const document = createOpenApi(
    {
      openapi: "3.1.0",
      info: {
        title: "Serverless compute",
        ...dialect.document,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: basePath === "" ? "/" : basePath }],
      security: [{ key: [] }],
      tags: Object.entries(TAGS)
        .filter(([name]) => used.has(name as keyof typeof TAGS))
        .map(([name, description]) => ({ name, description })),
      paths,
      components: {
        schemas: Object.fromEntries(
          Object.values(refusals).map(({ schemaName, schema }) => [schemaName, schema]),
        ),
        securitySchemes: { key: { type: "http", scheme: "bearer", description: "The API key." } },
      },
    },
    { override: plainly },
  );
  Object.assign(document.components?.schemas ?? {}, ownSchemas(dialect));
  return document;
}

/** Descriptions of the dialect's own schemas, under the names of the contract's. */
function ownSchemas({ schemas }: Dialect): object {
  const { components } = createOpenApi(
    { openapi: "3.1.0", info: { title: "", version: "" }, components: { schemas } },
    { override: plainly },
  );
  return components?.schemas ?? {};
}

/** Every method of every path, in the document's form. */
function callsOf(operation: Operation) {
  return routesOf(operation).flatMap(({ methods, path }) =>
    methods.map((method) => ({ method, path: writtenPath(path) })),
  );
}

function describe(
  name: string,
  operation: Operation,
  dialect: Dialect,
): Omit<ZodOpenApiOperationObject, "operationId"> {
  const { contract, access, path } = operation;
  const summary = SUMMARIES[name];
  if (summary === undefined) throw new Error(`the operation ${name} has no summary: npm run docs`);
  return {
    summary,
    tags: [contract.tag],
    ...(access === "anyone" || access === "probe" ? { security: [] } : {}),
    ...parametersOfOperation(path, contract),
    ...(contract.takes && {
      requestBody: { required: true, content: { "application/json": { schema: contract.takes } } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(contract.answers).map(([status, answer]) => [status, responseOf(answer)]),
      ),
      ...errorAnswers(operation, refusalShapeAt(dialect, path)),
    },
  };
}

function parametersOfOperation(
  path: string,
  { query }: Contract,
): Pick<ZodOpenApiOperationObject, "requestParams"> {
  const shape = Object.fromEntries(
    parametersOf(path).map((name) => {
      const description = PATH_PARAMETERS[name];
      if (description === undefined)
        throw new Error(`the path parameter ${name} has no description`);
      return [name, z.string().min(1).meta({ description })];
    }),
  );
  return {
    requestParams: {
      ...(Object.keys(shape).length > 0 ? { path: z.object(shape) } : {}),
      ...(query ? { query } : {}),
    },
  };
}

function responseOf({ description, content, headers }: AnswerContract): ZodOpenApiResponseObject {
  const entries = Object.entries(content).map(([type, body]) => {
    const schema = typeof body === "string" ? z.string().meta({ description: body }) : body;
    return [type, { schema }] as const;
  });
  return {
    description,
    ...(headers ? { headers } : {}),
    ...(entries.length > 0 ? { content: Object.fromEntries(entries) } : {}),
  };
}

/**
 * Leaves out the bounds that every integer has, and formats that only zod knows. Adds defaults that get lost where a value is
 * preprocessed.
 */
function plainly({ zodSchema, jsonSchema }: ZodOpenApiOverrideContext): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === "starts_with") delete jsonSchema.format;
  if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue;
}

function inWords(method: Method): string {
  return method.slice(0, 1) + method.slice(1).toLowerCase();
}
