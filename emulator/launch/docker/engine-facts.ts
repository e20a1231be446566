/** Reads what an engine says of itself. Pure. */
import type { DockerVersion } from "dockerode";
import type { EngineFacts } from "./container-engine.ts";

/** What Docker's engine is called among its own parts. */
const DOCKERS_OWN = "Engine";

const ROOTLESS = "name=rootless";

interface Info {
  readonly KernelVersion?: string;
  readonly SecurityOptions?: readonly string[];
}

/** @param info as the engine says it, or any other value */
export function factsOf(version: Partial<DockerVersion>, info: unknown): EngineFacts {
  const { KernelVersion: kernel, SecurityOptions: security }: Info =
    typeof info === "object" && info !== null ? info : {};
  const isRootless = security?.includes(ROOTLESS) ?? false;
  return { foreignName: foreignName(version), kernel, isRootless };
}

/** Name and version of an engine that is not Docker's own; undefined for that, and for one that does not say. */
function foreignName({ Components: components = [] }: Partial<DockerVersion>): string | undefined {
  const [first] = components;
  if (first?.Name === undefined || components.some(({ Name: name }) => name === DOCKERS_OWN))
    return undefined;
  return [first.Name, first.Version].filter((word) => word !== undefined).join(" ");
}
