/** A case of the module contract: a small source tree with the output of its handler, or the reason of a refusal. */

export interface ModuleCase {
  /** The table of the docs says it so. */
  readonly what: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Symbolic links in the tree. */
  readonly links?: Readonly<Record<string, string>>;
  /** Path of the handler in the tree; default: `handler.ts`. */
  readonly handler?: string;
  readonly output?: unknown;
  /** The refusal names this. */
  readonly refused?: RegExp;
}
