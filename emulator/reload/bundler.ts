/** Port: makes a handler file loadable again and again, and says of which files it is made. */
import type { BuildProblem } from "./build-problem.ts";

/** One handler that is built whenever its files have changed. */
export interface BuiltHandler {
  /** Builds it as its files are now. Never rejects; one call at a time. */
  build(): Promise<Build>;
  /** Idempotent. */
  close(): Promise<void>;
}

export type Build = BuildOf & {
  /**
   * Every file that was looked at, absolute and free of links, those of packages that lie outside of any `node_modules`
   * included. After a build that failed those of the last one that did not, too.
   */
  readonly files: ReadonlySet<string>;
  /** Paths without an ending at which an imported file was looked for in vain. */
  readonly missing: ReadonlySet<string>;
};

type BuildOf =
  | {
      readonly isBuilt: true;
      /** What Node is to import: a new file for each build, or the user's own where that is JavaScript. */
      readonly modulePath: string;
      readonly sourcePath: string;
    }
  | { readonly isBuilt: false; readonly problems: readonly BuildProblem[] };
