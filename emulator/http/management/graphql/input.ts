/** Reads values of GraphQL clients leniently. Pure. */

/** An input object. The schema has checked the names of fields, numbers and lists. */
export type Input = Readonly<Record<string, unknown>>;

/** Removes absent fields; null and an empty text count as absent (live). */
export function given(input: unknown): Input {
  const entries = Object.entries((input ?? {}) as Input);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== ""));
}

/** Removes absent and null fields; empty texts stay. */
export function defined(fields: Input): Input {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads a list, or a text with commas. Also accepts the text form of a Python list, with brackets and quotes (live). */
export function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const bare = /^\s*\[(.*)\]\s*$/su.exec(value)?.[1] ?? value;
  return bare.split(",").flatMap((part) => part.replaceAll(/["'\s]/gu, "") || []);
}

/** Environment variables; of two with one name the later one counts. Invalid values are left for the use case to refuse. */
export function envOf(pairs: unknown): Input | undefined {
  if (!Array.isArray(pairs)) return undefined;
  const entries = (pairs as readonly (Pair | null)[]).flatMap((pair): [string, unknown][] =>
    pair === null ? [] : [[pair.key ?? "", pair.value ?? ""]],
  );
  return Object.fromEntries(entries);
}

interface Pair {
  readonly key?: string | null;
  readonly value?: string | null;
}

/** The inverse of `envOf`. */
export function pairsOf(env: Readonly<Record<string, string>>) {
  return Object.entries(env).map(([key, value]) => ({ key, value }));
}
