/**
 * Makes containers: without a disk limit if the engine supports none, and with a mounted directory only if they see its
 * content.
 */
import fs from "node:fs/promises";
import path from "node:path";
import type { ContainerCreateOptions } from "dockerode";
import type { Template } from "../../../core/resources/templates/template.ts";
import { mountPoint } from "../../container-environment.ts";
import type { LaunchLog } from "../../launcher.ts";
import { type ContainerEngine, type EngineContainer, EngineError } from "../container-engine.ts";
import { notShared, unseenSource } from "../docker-errors.ts";
import type { HostRoute } from "../engine-location.ts";

/** The engine's message if it cannot limit the size of a container's disk. */
const NO_DISK_LIMIT = /storage-opt|--storage-opt|project quota|pquota/iu;

/** Prefix of the temporary file in a directory that shows whether a container sees the directory's content. */
const SEEN_FILE = ".sv-seen-";

export interface ContainerMakerOptions {
  readonly engine: ContainerEngine;
  /** Removes a container. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  readonly log: LaunchLog;
}

export interface MountedDirectory {
  readonly directory: string;
  readonly target: string;
}

export interface NewContainer {
  readonly hasDisk: boolean;
  readonly optionsFor: (limitsDisk: boolean) => ContainerCreateOptions;
  /** A directory to check. An engine on another machine may mount an empty directory instead. */
  readonly toBeSeen: MountedDirectory | undefined;
}

/** The directory to check. Undefined if the engine is on this machine: it mounts the directory, or reports that it is missing. */
export function unlessHere(
  { engine }: HostRoute,
  directory: string | undefined,
  template: Pick<Template, "volumeMountPath">,
): MountedDirectory | undefined {
  if (engine === "here" || directory === undefined) return undefined;
  return { directory, target: mountPoint(template) };
}

export class ContainerMaker {
  readonly #options: ContainerMakerOptions;
  readonly #seen = new Set<string>();
  #limitsDisk = true;

  constructor(options: ContainerMakerOptions) {
    this.#options = options;
  }

  /** @throws EngineError; Error with a sentence if the container does not see the directory */
  async make({ toBeSeen, ...wanted }: NewContainer): Promise<EngineContainer> {
    try {
      const container = await this.#create(wanted);
      if (toBeSeen !== undefined) await this.#look(container, toBeSeen);
      return container;
    } catch (error) {
      const source = error instanceof EngineError ? unseenSource(error) : undefined;
      if (source === undefined) throw error;
      throw new Error(notShared(source || toBeSeen?.directory), { cause: error });
    }
  }

  /** Drops what is known about the engine. Call it when another engine may answer. */
  forget(): void {
    this.#seen.clear();
  }

  /** Tries with a disk limit first. Only the engine knows whether its storage supports limits. */
  async #create({ hasDisk, optionsFor }: Omit<NewContainer, "toBeSeen">): Promise<EngineContainer> {
    const { engine, log } = this.#options;
    const limitsDisk = this.#limitsDisk;
    try {
      return await engine.create(optionsFor(limitsDisk));
    } catch (error) {
      const said = error instanceof EngineError ? error.message : "";
      if (!hasDisk || !limitsDisk || !NO_DISK_LIMIT.test(said)) throw error;
      this.#limitsDisk = false;
      const reason = "the Docker engine cannot limit the size of container disks here";
      log.warn({}, `${reason}: containerDiskInGb has no effect`);
      return engine.create(optionsFor(false));
    }
  }

  async #look(container: EngineContainer, { directory, target }: MountedDirectory): Promise<void> {
    if (this.#seen.has(directory)) return;
    const name = SEEN_FILE + crypto.randomUUID();
    const file = path.join(directory, name);
    let sees = false;
    try {
      await fs.writeFile(file, "", { flag: "wx" });
      sees = await container.has(path.posix.join(target, name));
    } finally {
      await fs.rm(file, { force: true });
      if (!sees) await this.#options.remove(container.id);
    }
    if (!sees) throw new Error(notShared(directory));
    this.#seen.add(directory);
  }
}
