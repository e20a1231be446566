/**
 * Checks each answer of the service against the OpenAPI document of its dialect: status, media type, headers and
 * body.
 */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Dialect } from "../../../emulator/http/operation/dialect.ts";
import { CONTRACT_DIALECT } from "../../../emulator/http/operation/dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "../../../emulator/http/operation/dialects/live-dialect.ts";
import {
  isOfRestV2,
  REST_V2_DIALECT,
} from "../../../emulator/http/management/rest-v2/rest-v2-dialect.ts";
import { createDocument } from "../../../emulator/http/operation/openapi/document.ts";
import type { OpenApiDocument } from "../../../emulator/http/operation/openapi/endpoint-paths.ts";
import { operationsOf } from "../../../emulator/http/router.ts";

export interface AnswerToCheck {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One method of one path of the document. */
export interface DocumentedOperation {
  readonly method: string;
  /** Path in the document's form, with `{name}` for parameters, below the dialect's base path. */
  readonly path: string;
  readonly operation: OperationObject;
  /** The document's schemas, by the names of its references. */
  readonly schemas: Readonly<Record<string, unknown>>;
}

type PathItem = NonNullable<OpenApiDocument["paths"]>[string];
type OperationObject = NonNullable<PathItem["get"]>;

/** A dialect's documented answers. */
interface Documentation {
  readonly basePath: string;
  /** Base of references to its schemas. */
  readonly schemaId: string;
  readonly document: OpenApiDocument;
  readonly operations: readonly DocumentedOperation[];
}

/**
 * Without compiled validators: hundreds of schemas are used a few times each, so compilation would cost more than
 * it saves.
 */
const QUICKLY_COMPILED = { inlineRefs: false, code: { optimize: false } };

const ajv = new Ajv2020({ strict: false, allErrors: false, ...QUICKLY_COMPILED });
addFormats.default(ajv);
const compiled = new Map<string, ValidateFunction>();

const CONTRACT = documentationOf(CONTRACT_DIALECT);
const LIVE = documentationOf(LIVE_DIALECT);
const REST_V2 = documentationOf(REST_V2_DIALECT);

/** The document of our own dialect. */
export const DOCUMENT = CONTRACT.document;
export const DOCUMENTED = CONTRACT.operations;

export const LIVE_DOCUMENT = LIVE.document;

export const REST_V2_DOCUMENT = REST_V2.document;

/** The operations of all dialects. */
export const ALL_DOCUMENTED = [...CONTRACT.operations, ...LIVE.operations, ...REST_V2.operations];

function documentationOf(dialect: Dialect): Documentation {
  const { basePath } = dialect;
  const document = createDocument(operationsOf(dialect), dialect);
  const schemaId = `openapi${basePath.replace("/", "-")}-${dialect.document.version}`;
  ajv.addSchema(document, schemaId);
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: `${basePath}${path}`,
      operation,
      schemas: document.components?.schemas ?? {},
    })),
  );
  return { basePath, schemaId, document, operations };
}

/** Fails if the document has no such answer to a call of `method` at `target` (a path with a query). */
export function assertDocumented(method: string, target: string, answer: AnswerToCheck): void {
  const [written = ""] = target.split("?", 1);
  // Redundant slashes are ignored.
  const path = written.replaceAll(/\/{2,}/gu, "/");
  const documentation = documentationAt(path);
  const { basePath, schemaId, operations } = documentation;
  const found = operationOf(operations, method, path);
  const what = `${method} ${target.slice(0, 200)} answered ${answer.status} ${answer.text.slice(0, 400)}`;
  if (!found) {
    assert.ok(answer.status >= 400, `${what}, but the document has no such operation`);
    const pointer = `#/components/schemas/${errorSchemaAt(documentation, path)}`;
    assertFits(what, schemaId, pointer, JSON.parse(answer.text));
    return;
  }
  const own = found.path.slice(basePath.length);
  const responses = `/paths/${escaped(own)}/${method.toLowerCase()}/responses`;
  const exact = resolve(documentation, `${responses}/${answer.status}`);
  const range = `${String(answer.status).slice(0, 1)}XX`;
  const { pointer, value } = exact.value ? exact : resolve(documentation, `${responses}/${range}`);
  assert.ok(value, `${what}, a status that the document does not show`);
  const content = (value as { content?: Record<string, unknown> }).content ?? {};
  if (Object.keys(content).length === 0) {
    assert.equal(answer.text, "", `${what}, but the document shows no body`);
    return;
  }
  const [type = ""] = String(answer.headers["content-type"]).split(";", 1);
  assert.ok(content[type], `${what} as ${type}, a type that the document does not show`);
  const body: unknown = /[/+]json$/u.test(type) ? JSON.parse(answer.text) : answer.text;
  assertFits(what, schemaId, `#${pointer}/content/${escaped(type)}/schema`, body);
}

/** The operation for a call of `method` at `target` (a path with a query); undefined for none. */
export function operationIdAt(method: string, target: string): string | undefined {
  const [path = ""] = target.split("?", 1);
  const { operations } = documentationAt(path);
  return operationOf(operations, method, path)?.operation.operationId;
}

function documentationAt(path: string): Documentation {
  if (!`${path}/`.startsWith(`${LIVE.basePath}/`)) return CONTRACT;
  return isOfRestV2(path.slice(LIVE.basePath.length)) ? REST_V2 : LIVE;
}

/** The schema of refusals for an unknown operation or method. */
function errorSchemaAt(documentation: Documentation, path: string): string {
  const { operations } = documentation;
  if (documentation === REST_V2) return "Problem";
  const other = operationAt(operations, path);
  if (other?.operation.responses?.["4XX"] !== undefined) return "OpenAiError";
  return path.startsWith(`${LIVE.basePath}/v2/`) ? "JobError" : "Error";
}

function assertFits(what: string, schemaId: string, pointer: string, body: unknown): void {
  const $ref = `${schemaId}${pointer}`;
  const validate = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, validate);
  assert.ok(validate(body), `${what}, which does not fit: ${ajv.errorsText(validate.errors)}`);
}

/** Value at a place of the document, and its place after following a reference. */
function resolve(
  documentation: Documentation,
  pointer: string,
): { readonly pointer: string; readonly value: unknown } {
  let value: unknown = documentation.document;
  for (const part of pointer.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  const reference = (value as { readonly $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return { pointer, value };
  return resolve(documentation, reference.slice(1));
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** A path of the document is no parameter of another path, by any method. */
function operationOf(
  operations: readonly DocumentedOperation[],
  method: string,
  path: string,
): DocumentedOperation | undefined {
  const named = operations.filter((each) => each.path === path.replace(/\/+$/u, ""));
  const among = named.length > 0 ? named : operations;
  return operationAt(
    among.filter((each) => each.method === method),
    path,
  );
}

/** A slash at the end is redundant if the exact path does not exist. */
function operationAt<T extends { readonly path: string }>(
  operations: readonly T[],
  path: string,
): T | undefined {
  const at = (wanted: string) =>
    operations.find((each) => each.path === wanted) ??
    operations.find((each) => fits(each.path, wanted));
  return at(path) ?? at(path.replace(/\/+$/u, ""));
}

function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const all = path.split("/");
  // The parameter `path` is the rest of the path with its slashes, or empty.
  const isOpen = wanted.at(-1) === "{path}";
  const given = isOpen && all.length > wanted.length ? all.slice(0, wanted.length) : all;
  return (
    wanted.length === given.length &&
    wanted.every((part, at) =>
      part.startsWith("{") ? part === "{path}" || given[at] !== "" : part === given[at],
    )
  );
}
