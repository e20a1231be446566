/** The note beside a bundle about its sources, with which it is recognised and used again. */
import fs from "node:fs";

/** Version of the bundling: it changes whenever the same sources would become another bundle. */
export const MADE_BY = "1";

/** One file a bundle was made of, as it was then. */
export interface NotedInput {
  readonly path: string;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
}

export interface BundleNote {
  readonly sourcePath: string;
  /** Name of the build method. */
  readonly madeBy: string;
  readonly inputs: readonly NotedInput[];
}

/** Where the note of a bundle lies. */
export function notePath(modulePath: string): string {
  return `${modulePath}.json`;
}

/** Undefined when there is none, or it is from another program. */
export function readNote(modulePath: string): BundleNote | undefined {
  try {
    const note: unknown = JSON.parse(fs.readFileSync(notePath(modulePath), "utf8"));
    return isNote(note) ? note : undefined;
  } catch {
    return undefined;
  }
}

function isNote(value: unknown): value is BundleNote {
  if (typeof value !== "object" || value === null) return false;
  if (!("sourcePath" in value) || !("madeBy" in value) || !("inputs" in value)) return false;
  return typeof value.sourcePath === "string" && Array.isArray(value.inputs);
}
