/** The part of the Standard Schema interface (standardschema.dev, version 1) that the runtime uses. */

/** A schema of any library that implements Standard Schema: zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    /** The library that made the schema. */
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** JSON Schemas of the schema's input and output (standardschema.dev/json-schema). Not all libraries have it. */
    readonly jsonSchema?: Readonly<Record<"input" | "output", (terms: JsonSchemaTerms) => object>>;
    /** Types only; always absent at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export interface JsonSchemaTerms {
  readonly target: "draft-2020-12";
  readonly libraryOptions?: Record<string, unknown>;
}

/** The schema's value, or the problems. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  /** Path from the value's root to the problem. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether `value` implements the interface. The schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = "~standard" in value ? value["~standard"] : undefined;
  if (typeof standard !== "object" || standard === null) return false;
  return "validate" in standard && typeof standard.validate === "function";
}
