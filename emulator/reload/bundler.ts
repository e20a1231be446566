/** Port: builds a handler file whenever it changes, and lists the files that went into it. */
import type { BuildProblem } from "./build-problem.ts";

/** A handler that is built whenever its files have changed. */
export interface BuiltHandler {
  /** Builds the current files. Never rejects. Await each call before the next. */
  build(): Promise<Build>;
  /** Idempotent. */
  close(): Promise<void>;
}

export type Build = BuildOf & {
  /**
   * Every file of the build, absolute and without links, also in packages outside of any `node_modules`. After a failed build, the
   * files of the last successful one as well.
   */
  readonly files: ReadonlySet<string>;
  /** Paths of imported files that were not found, without an ending. */
  readonly missing: ReadonlySet<string>;
};

type BuildOf =
  | {
      readonly isBuilt: true;
      /** The module that Node imports: a new file for each build, or the user's own file if it is JavaScript. */
      readonly modulePath: string;
      readonly sourcePath: string;
      /** Differs from that of every build that would load anything else. */
      readonly fingerprint: string;
    }
  | { readonly isBuilt: false; readonly problems: readonly BuildProblem[] };
