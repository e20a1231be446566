/** Removes undefined members, for optional fields that must be absent instead. */

type Defined<T> = { -readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are not undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries<unknown>(entries) as Defined<T>;
}
