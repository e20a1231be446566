/** One Docker engine for all files of a test run: builds of one file are in the next one's cache. */
import type { TestProject } from "vitest/node";
import { startDockerEngine } from "./docker-engine.ts";
import { askFor, sharePart } from "./shared-part.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket that tells where the engine is. */
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
 * @throws Error with its output if it did not come up
 */
export const sharedDockerHost = askFor;
