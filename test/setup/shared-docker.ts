/** One Docker engine for all files of a test run: a file's builds are in the next file's cache. */
import type { TestProject } from "vitest/node";
import { startDockerEngine } from "./docker-engine.ts";
import { askFor, sharePart } from "./shared-part.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket that returns the engine's address. */
    readonly sharedDocker: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { door, end } = await sharePart(startDockerEngine, ({ host }) => host);
  project.provide("sharedDocker", door);
  return end;
}

/**
 * The address of the engine behind the socket `door`.
 * @throws Error with its output if it did not start
 */
export const sharedDockerHost = askFor;
