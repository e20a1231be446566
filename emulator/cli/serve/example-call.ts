/** Finds an example call of an endpoint in the README beside its handler, or makes one from the schema of its input. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LocalHandler } from "../../index.ts";
import type { JsonSchema } from "../../../runtime/protocol/session.ts";
import { sampleOf } from "./sample-of-schema.ts";

export interface ExampleCall {
  /** The path behind the endpoint's URL. */
  readonly path: string;
  /** JSON. */
  readonly body: string;
}

/** Maximum characters of a call that a person pastes. */
const MOST_CHARACTERS = 500;

/**
 * The first `'{"input":…}'` in the README.md beside a handler's file, else the first call of a path of the OpenAI API. Undefined if
 * there is neither.
 */
export function exampleCall(handlerPath: string): ExampleCall | undefined {
  try {
    return callIn(readFileSync(join(dirname(handlerPath), "README.md"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Example calls from READMEs, by endpoint id. */
export function exampleCallsOf(
  handlers: readonly LocalHandler[],
): ReadonlyMap<string, ExampleCall> {
  const entries = handlers.map(({ id, path }) => [id, exampleCall(path)] as const);
  return new Map(entries.filter((entry): entry is [string, ExampleCall] => entry[1] !== undefined));
}

/** Example calls made from schemas, by endpoint id. Schemas without a sample are left out. */
export function callsOfSchemas(
  schemas: ReadonlyMap<string, JsonSchema>,
): ReadonlyMap<string, ExampleCall> {
  const entries = [...schemas].map(([id, schema]) => {
    const body = JSON.stringify({ input: sampleOf(schema) });
    return [id, { path: "runsync", body }] as const;
  });
  return new Map(
    entries.filter(([, { body }]) => body.startsWith('{"input":{') && isPastable(body)),
  );
}

function callIn(readme: string): ExampleCall | undefined {
  const inputs = readme.matchAll(/'(\{"input":\{[^'\n]*\}\})'/g);
  // Commands may continue on the next line.
  const calls = readme
    .replaceAll(/\\\n\s*/g, "")
    .matchAll(/\/v2\/[\w-]+\/(openai\/[\w/-]+)[^\n|]* -d '(\{[^'\n]*\})'/g);
  const shown = [
    ...[...inputs].map(([, body = ""]) => ({ path: "runsync", body })),
    ...[...calls].map(([, path = "", body = ""]) => ({ path, body })),
  ];
  return shown.find(({ body }) => isPastable(body));
}

function isPastable(json: string): boolean {
  if (json.length > MOST_CHARACTERS) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
