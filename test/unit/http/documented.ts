/** Holds each answer of the service against the OpenAPI document: status, media type, headers and body. */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createDocument, type OpenApiDocument } from "../../../emulator/http/openapi/document.ts";
import { OPERATIONS } from "../../../emulator/http/operations.ts";

/** The document of the contract's dialect. */
export const DOCUMENT: OpenApiDocument = createDocument(OPERATIONS, "");

export interface AnswerToCheck {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One method of one path of the document. */
export interface DocumentedOperation {
  readonly method: string;
  /** As the document writes it, with `{name}` for parameters. */
  readonly path: string;
  readonly operation: OperationObject;
}

type PathItem = NonNullable<OpenApiDocument["paths"]>[string];
type OperationObject = NonNullable<PathItem["get"]>;

export const DOCUMENTED: readonly DocumentedOperation[] = Object.entries(
  DOCUMENT.paths ?? {},
).flatMap(([path, item]) =>
  Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, "openapi");
const compiled = new Map<string, ValidateFunction>();

/** Fails if the document does not show such an answer to a call of `method` at `target` (a path with a query). */
export function assertDocumented(method: string, target: string, answer: AnswerToCheck): void {
  const [path = ""] = target.split("?", 1);
  const found = DOCUMENTED.find((each) => each.method === method && fits(each.path, path));
  const what = `${method} ${target.slice(0, 200)} answered ${answer.status} ${answer.text.slice(0, 400)}`;
  if (!found) {
    assert.ok(answer.status >= 400, `${what}, but the document has no such operation`);
    const other = DOCUMENTED.find((each) => fits(each.path, path));
    const hasOwnErrors = other?.operation.responses?.["4XX"] !== undefined;
    const schema = hasOwnErrors ? "OpenAiError" : "Error";
    assertFits(what, `#/components/schemas/${schema}`, JSON.parse(answer.text));
    return;
  }
  const responses = `/paths/${escaped(found.path)}/${method.toLowerCase()}/responses`;
  const exact = resolve(`${responses}/${answer.status}`);
  const range = `${String(answer.status).slice(0, 1)}XX`;
  const { pointer, value } = exact.value ? exact : resolve(`${responses}/${range}`);
  assert.ok(value, `${what}, a status that the document does not show`);
  const content = (value as { content?: Record<string, unknown> }).content ?? {};
  if (Object.keys(content).length === 0) {
    assert.equal(answer.text, "", `${what}, but the document shows no body`);
    return;
  }
  const [type = ""] = String(answer.headers["content-type"]).split(";", 1);
  assert.ok(content[type], `${what} as ${type}, a type that the document does not show`);
  const body: unknown = type === "application/json" ? JSON.parse(answer.text) : answer.text;
  assertFits(what, `#${pointer}/content/${escaped(type)}/schema`, body);
}

function assertFits(what: string, pointer: string, body: unknown): void {
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` });
  compiled.set(pointer, validate);
  assert.ok(validate(body), `${what}, which does not fit: ${ajv.errorsText(validate.errors)}`);
}

/** What stands at a place of the document, and where, after following a reference. */
function resolve(pointer: string): { readonly pointer: string; readonly value: unknown } {
  let value: unknown = DOCUMENT;
  for (const part of pointer.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  const reference = (value as { readonly $ref?: string } | undefined)?.$ref;
  return reference === undefined ? { pointer, value } : resolve(reference.slice(1));
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const all = path.split("/");
  // What is called `path` is the rest of it, slashes and all; then the router takes empty parameters as well.
  const isOpen = wanted.at(-1) === "{path}";
  const given = isOpen && all.length > wanted.length ? all.slice(0, wanted.length) : all;
  return (
    wanted.length === given.length &&
    wanted.every((part, at) =>
      part.startsWith("{") ? isOpen || given[at] !== "" : part === given[at],
    )
  );
}
