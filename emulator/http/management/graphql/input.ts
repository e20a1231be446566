/** Values as clients of GraphQL write them, loosely. Pure. */

/** An input object, of which the schema has checked the names of its fields and that numbers and lists are such. */
export type Input = Readonly<Record<string, unknown>>;

/** Without what is not set: null and an empty text are as good as absent (live). */
export function given(input: unknown): Input {
  const entries = Object.entries((input ?? {}) as Input);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== ""));
}

/** Without what is absent or null; empty texts stay. */
export function defined(fields: Input): Input {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

/** A text that is one; undefined for anything else, an empty one among them. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A list as it is; of a text what stands between its commas. A list of Python's, in brackets and quotes, is taken as well (live). */
export function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const bare = /^\s*\[(.*)\]\s*$/su.exec(value)?.[1] ?? value;
  return bare.split(",").flatMap((part) => part.replaceAll(/["'\s]/gu, "") || []);
}

/** Variables of an environment; of two with one name the later counts. What is no text is left to who checks them. */
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

/** As `envOf` reads them. */
export function pairsOf(env: Readonly<Record<string, string>>) {
  return Object.entries(env).map(([key, value]) => ({ key, value }));
}
