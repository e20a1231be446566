/** Finds a call that an endpoint takes: as the README beside its handler shows it, or made of the schema of its input. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LocalHandler } from "../../index.ts";
import type { JsonSchema } from "../../../runtime/protocol/session.ts";
import { sampleOf } from "./sample-of-schema.ts";

export interface ExampleCall {
  /** Behind the endpoint's own. */
  readonly path: string;
  /** JSON. */
  readonly body: string;
}

/** The longest that is worth pasting. */
const MOST_CHARACTERS = 500;

/**
 * With the first `'{"input":…}'` in the README.md beside a handler's file; without one, the first call of a path of the OpenAI
 * API. Undefined where none is shown.
 */
export function exampleCall(handlerPath: string): ExampleCall | undefined {
  try {
    return callIn(readFileSync(join(dirname(handlerPath), "README.md"), "utf8"));
  } catch {
    return undefined;
  }
}

/** By endpoint id, of those that have one. */
export function exampleCallsOf(
  handlers: readonly LocalHandler[],
): ReadonlyMap<string, ExampleCall> {
  const entries = handlers.map(({ id, path }) => [id, exampleCall(path)] as const);
  return new Map(entries.filter((entry): entry is [string, ExampleCall] => entry[1] !== undefined));
}

/** Calls with inputs that are made of the schemas, of those for which that can be done. */
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
  // Lines may go on.
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
