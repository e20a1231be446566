/** Adds the schemas of single endpoints' handlers to the document, at paths of their own. */
import type { HandlerSchemas, JsonSchema } from "../../../../runtime/protocol/session.ts";
import type { createDocument } from "zod-openapi";

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** Known schemas of handlers. */
export interface KnownSchemas {
  /** A counter that grows with every change. */
  readonly revision: number;
  /** Ids in display order. */
  endpointIds(): readonly string[];
  of(endpointId: string): HandlerSchemas;
}

/** Maximum number of endpoints in the document, so that a page can show it. */
const MAX_SHOWN_ENDPOINTS = 100;

/** Maximum total size of the schemas, in characters. */
const MAX_SHOWN_CHARACTERS = 1_000_000;

/** Operations with an input or an output. */
const OPERATIONS = ["run", "runsync", "status"] as const;

type Tree = { readonly [key: string]: unknown };

/**
 * A copy of the document with paths for endpoints with schemas: the operations with `{endpointId}`, with the schema of the
 * input in the body and that of the output in the answer. Endpoints beyond the maximum are left out: the general paths apply to
 * them.
 */
export function withEndpoints(document: OpenApiDocument, known: KnownSchemas): OpenApiDocument {
  const paths: Record<string, unknown> = { ...document.paths };
  const schemas: Record<string, unknown> = { ...document.components?.schemas };
  const tags = [...(document.tags ?? [])];
  let room = MAX_SHOWN_CHARACTERS;
  for (const id of known.endpointIds().slice(0, MAX_SHOWN_ENDPOINTS)) {
    const handler = known.of(id);
    room -= JSON.stringify(handler).length;
    if (room < 0) break;
    tags.push({
      name: tagOf(id),
      description: `Input and output of the handler of the endpoint \`${id}\`.`,
    });
    for (const side of ["input", "output"] as const) {
      const schema = handler[side];
      if (schema !== undefined) schemas[nameOf(id, side)] = rooted(schema, refTo(id, side));
    }
    for (const operation of OPERATIONS) {
      const of = operationOf(document, operation);
      if (of === undefined) continue;
      paths[of.path.replace("{endpointId}", id)] = { [of.method]: ofEndpoint(of, id, handler) };
    }
  }
  const components = { ...document.components, schemas };
  return { ...document, tags, paths, components } as OpenApiDocument;
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly operation: Tree;
}

function operationOf(document: OpenApiDocument, operationId: string): Found | undefined {
  for (const [path, methods] of Object.entries((document.paths ?? {}) as Tree)) {
    for (const [method, operation] of Object.entries(methods as Tree)) {
      if (isTree(operation) && operation["operationId"] === operationId)
        return { path, method, operation };
    }
  }
  return undefined;
}

function ofEndpoint({ operation }: Found, id: string, handler: HandlerSchemas): Tree {
  const { parameters, requestBody, responses, ...rest } = operation;
  const others = (parameters as readonly Tree[]).filter(({ name }) => name !== "endpointId");
  const ok = (responses as Tree)["200"] as Tree;
  return {
    ...rest,
    operationId: `${String(operation["operationId"])}_${id}`,
    tags: [tagOf(id)],
    ...(others.length > 0 && { parameters: others }),
    ...(isTree(requestBody) && { requestBody: narrowed(requestBody, "input", id, handler) }),
    responses: { ...(responses as Tree), 200: narrowed(ok, "output", id, handler) },
  };
}

/** The JSON body with the handler's schema in one of its members. */
function narrowed(
  body: Tree,
  side: keyof HandlerSchemas,
  id: string,
  handler: HandlerSchemas,
): Tree {
  if (handler[side] === undefined) return body;
  const content = body["content"] as Tree;
  const { schema, ...media } = content["application/json"] as Tree;
  const own = { type: "object", properties: { [side]: { $ref: refTo(id, side) } } };
  const both = { ...media, schema: { allOf: [schema, own] } };
  return { ...body, content: { ...content, "application/json": both } };
}

function tagOf(id: string): string {
  return `endpoint ${id}`;
}

/** No schema of the interface has a dot in its name. */
function nameOf(id: string, side: keyof HandlerSchemas): string {
  return `${id}.${side}`;
}

function refTo(id: string, side: keyof HandlerSchemas): string {
  return `#/components/schemas/${nameOf(id, side)}`;
}

/** A reference `#…` of a schema to itself is changed to its place in the document. */
function rooted(schema: JsonSchema, place: string): Tree {
  const { $schema: _, $id: __, ...rest } = schema;
  return moved(rest, place) as Tree;
}

function moved(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => moved(entry, place));
  if (!isTree(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const isOwnRef = key === "$ref" && typeof inner === "string" && inner.startsWith("#");
    return [key, isOwnRef ? `${place}${inner.slice(1)}` : moved(inner, place)];
  });
  return Object.fromEntries(entries) as Tree;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
