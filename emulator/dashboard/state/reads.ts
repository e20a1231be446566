/** Reads of the service by path: the newest answer, and whether it is out of date. */

export interface Read {
  /** The newest answer; undefined before the first. */
  readonly value: unknown;
  /** Why the last read failed; undefined after an answer. */
  readonly problem: string | undefined;
  readonly isAsking: boolean;
  /** An event since then may have changed it. */
  readonly isStale: boolean;
}

export type Reads = Readonly<Record<string, Read>>;

export type ReadAction =
  | { readonly type: "asked"; readonly path: string }
  | { readonly type: "answered"; readonly path: string; readonly value: unknown }
  | { readonly type: "refused"; readonly path: string; readonly problem: string }
  /** An event concerns the path. */
  | { readonly type: "outdated"; readonly path: string }
  /** No component shows the path any more. */
  | { readonly type: "dropped"; readonly path: string };

export const UNREAD: Read = {
  value: undefined,
  problem: undefined,
  isAsking: false,
  isStale: false,
};

export function reduceReads(reads: Reads, action: ReadAction): Reads {
  const { path } = action;
  const read = reads[path] ?? UNREAD;
  switch (action.type) {
    case "asked":
      return { ...reads, [path]: { ...read, isAsking: true, isStale: false } };
    case "answered":
      return {
        ...reads,
        [path]: { ...read, value: action.value, problem: undefined, isAsking: false },
      };
    case "refused":
      return { ...reads, [path]: { ...read, problem: action.problem, isAsking: false } };
    case "outdated":
      return read.isStale ? reads : { ...reads, [path]: { ...read, isStale: true } };
    case "dropped":
      return Object.fromEntries(Object.entries(reads).filter(([of]) => of !== path));
  }
}
