/** Makes a minimal value that fits a JSON Schema. */
import type { JsonSchema } from "../../../runtime/protocol/session.ts";

/** Maximum depth, because schemas may refer to themselves. */
const MAX_DEPTH = 20;

const FORMATS: Readonly<Record<string, string>> = {
  email: "ada@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  ipv4: "127.0.0.1",
  ipv6: "::1",
};

/** Undefined if none can be made. */
export function sampleOf(schema: JsonSchema): unknown {
  return new Sampler(schema).of(schema, "text", MAX_DEPTH);
}

class Sampler {
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** @param name the member's name, which is the value of a text without a rule */
  of(schema: unknown, name: string, depthLeft: number): unknown {
    if (!isSchema(schema) || depthLeft === 0) return undefined;
    const given = [schema["const"], schema["default"], first(schema["examples"])];
    const [known = first(schema["enum"])] = given.filter((value) => value !== undefined);
    if (known !== undefined) return known;
    if (typeof schema["$ref"] === "string")
      return this.of(this.#at(schema["$ref"]), name, depthLeft - 1);
    const choices = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(choices)) {
      const made = choices.map((choice) => this.of(choice, name, depthLeft - 1));
      return made.find((value) => value !== undefined);
    }
    if (Array.isArray(schema["allOf"])) return this.#all(schema, name, depthLeft);
    return this.#ofType(schema, name, depthLeft);
  }

  #ofType(schema: JsonSchema, name: string, depthLeft: number): unknown {
    const { type } = schema;
    switch (Array.isArray(type) ? first(type) : type) {
      case "object":
        return this.#object(schema, depthLeft);
      case "array":
        return this.#array(schema, name, depthLeft);
      case "string":
        return textFor(schema, name);
      case "integer":
      case "number":
        return numberFor(schema);
      case "boolean":
        return true;
      case "null":
        return null;
      default:
        return isSchema(schema["properties"]) ? this.#object(schema, depthLeft) : {};
    }
  }

  #all({ allOf, ...rest }: JsonSchema, name: string, depthLeft: number): unknown {
    const parts = [...(allOf as readonly unknown[]), ...(rest["type"] === undefined ? [] : [rest])];
    const made = parts.map((part) => this.of(part, name, depthLeft - 1));
    if (made.includes(undefined)) return undefined;
    return made.every(isSchema) ? Object.assign({}, ...made) : made[0];
  }

  /** An object with its required members only. */
  #object({ properties, required }: JsonSchema, depthLeft: number): unknown {
    const members = isSchema(properties) ? properties : {};
    const names = Array.isArray(required) ? required.map(String) : [];
    const made = names.map((name): [string, unknown] => [
      name,
      this.of(members[name] ?? {}, name, depthLeft - 1),
    ]);
    return made.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(made);
  }

  #array(schema: JsonSchema, name: string, depthLeft: number): unknown {
    const { items, prefixItems = [], minItems = 0 } = schema;
    const tuple = Array.isArray(prefixItems) ? prefixItems : [];
    const length = Math.max(tuple.length, Math.min(Number(minItems), 100));
    const made = Array.from({ length }, (_, at) =>
      this.of(tuple[at] ?? items ?? {}, name, depthLeft - 1),
    );
    return made.includes(undefined) ? undefined : made;
  }

  /** The schema at a reference like `#/$defs/x`. */
  #at(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    const steps = reference.slice(1).split("/").slice(1);
    return steps.reduce<unknown>(
      (at, step) =>
        isSchema(at) ? at[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined,
      this.#root,
    );
  }
}

function textFor(schema: JsonSchema, name: string): string | undefined {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema;
  const known = FORMATS[String(format)];
  if (known !== undefined) return known;
  const text = name.padEnd(Math.min(Number(minLength), 1_000), "x").slice(0, Number(maxLength));
  return typeof pattern === "string" && !fits(text, pattern) ? undefined : text;
}

/** False for a pattern in another syntax than JavaScript's. */
function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

/** 1 if it is allowed, else the nearest bound. */
function numberFor(schema: JsonSchema): number {
  const bound = (key: string, otherwise: number) => Number(schema[key] ?? otherwise);
  const step = bound("multipleOf", schema["type"] === "integer" ? 1 : 0);
  const above = bound("exclusiveMinimum", -Infinity);
  const below = bound("exclusiveMaximum", Infinity);
  const least = Math.max(bound("minimum", -Infinity), above + (step || 0.5));
  const most = Math.min(bound("maximum", Infinity), below - (step || 0.5));
  const near = Math.min(Math.max(1, least), most);
  return step === 0 ? near : Math.ceil(near / step) * step;
}

function first(values: unknown): unknown {
  return Array.isArray(values) ? values[0] : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
