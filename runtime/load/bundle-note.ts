/** Metadata file next to a bundle. It lists the bundle's source files, so that an unchanged bundle can be reused. */
import fs from "node:fs";

/** Version of the bundling. Increase it when the same sources result in a different bundle. */
export const MADE_BY = "2";

/** A source file of a bundle, with its state when the bundle was made. */
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

/** Path of a bundle's note. */
export function notePath(modulePath: string): string {
  return `${modulePath}.json`;
}

/** Returns undefined if the file is missing or is not a note. */
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
