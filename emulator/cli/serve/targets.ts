/** Turns the targets of a command line into endpoints, or says which target is wrong and why. */
import { basename, dirname, resolve } from "node:path";
import type { FoundHandlers } from "../../index.ts";
import type {
  CommandEndpoint,
  ImageEndpoint,
  LocalHandler,
} from "../../handlers/local-endpoint.ts";
import { HANDLER_ENDINGS } from "../../../runtime/load/prepare-handler.ts";
import { isReservedId, reservedBecause } from "../../core/resources/endpoints/reserved-ids.ts";
import { fileAt } from "../config/key-positions.ts";
import type { Config } from "../config/config.ts";
import { ENDPOINT_ID_RULE, isEndpointId } from "./endpoint-id.ts";
import {
  checkEnding,
  CONFIG_NAME,
  contentOf,
  type DirectoryContent,
  isConfigPath,
  HANDLER_STEM,
  missingSentence,
  placeAt,
  SERVER_STEM,
  shownPath,
  stemOf,
} from "../given-path.ts";
import type { Environment } from "./setting-values.ts";
import { UsageError } from "../usage-error.ts";

/** The endpoints and configs of the targets. */
export interface Served extends FoundHandlers {
  /** Endpoints of commands. They come from configs only. */
  readonly commands: readonly CommandEndpoint[];
  /** Endpoints of container images. They come from configs only. */
  readonly images: readonly ImageEndpoint[];
  /** The configs among the targets, with their settings of the service. */
  readonly configs: readonly Config[];
}

const HANDLER_NAMES = `a file ${HANDLER_STEM}${HANDLER_ENDINGS[0]} or ${SERVER_STEM}${HANDLER_ENDINGS[0]} (or ${HANDLER_ENDINGS.slice(1).join(", ")})`;

/**
 * Without targets the current directory is the target.
 *
 * @throws UsageError for a missing target, one without a handler, or two handlers with the same id
 */
export async function resolveTargets(
  targets: readonly string[],
  cwd: string,
  environment: Environment = {},
): Promise<Served> {
  const finder = new Finder(cwd, environment);
  if (targets.length === 0) await finder.findHere();
  // In order, so that the message is about the first wrong target.
  for (const target of targets) await finder.find(resolve(cwd, target));
  const { handlers, commands, images, configs, directories } = finder;
  const files = new Set(configs.map(({ file }) => file));
  return { handlers, commands, images, configs, directories, files };
}

class Finder {
  readonly handlers: LocalHandler[] = [];
  readonly commands: CommandEndpoint[] = [];
  readonly images: ImageEndpoint[] = [];
  readonly configs: Config[] = [];
  /** The directories that were searched. */
  readonly directories = new Set<string>();
  readonly #cwd: string;
  readonly #environment: Environment;

  constructor(cwd: string, environment: Environment) {
    this.#cwd = cwd;
    this.#environment = environment;
  }

  async findHere(): Promise<void> {
    if (await this.#findInDirectory(this.#cwd)) return;
    throw new UsageError(
      "no targets were given, and the current directory holds no handler; " +
        `name a handler file, a directory with ${HANDLER_NAMES}, or a ${CONFIG_NAME}`,
    );
  }

  async find(path: string): Promise<void> {
    const place = await placeAt(path, this.#cwd);
    if (place === "nothing") throw new UsageError(await missingSentence(path, this.#cwd));
    if (place === "file" && isConfigPath(path)) return this.#findInConfig(path);
    if (place === "file") return this.#addFile(path);
    if (await this.#findInDirectory(path)) return;
    throw new UsageError(
      `${this.#show(path)} holds no handler; expected ${HANDLER_NAMES} in it or in the directories directly below it`,
    );
  }

  /** False if there is nothing to serve in it. */
  async #findInDirectory(path: string): Promise<boolean> {
    if (await this.#findDeclared(path)) return true;
    let found = false;
    for (const directory of (await this.#contentOf(path)).directories) {
      if ((await placeAt(directory, this.#cwd)) !== "directory") continue;
      if (await this.#findDeclared(directory)) found = true;
    }
    return found;
  }

  /** Finds the endpoints of a directory itself: those of its config, else its handler. */
  async #findDeclared(directory: string): Promise<boolean> {
    const { config, handler, server } = await this.#contentOf(directory);
    const module = handler ?? server;
    if (config !== undefined) await this.#findInConfig(config);
    else if (module !== undefined) this.#addFile(module);
    return config !== undefined || module !== undefined;
  }

  async #findInConfig(path: string): Promise<void> {
    if (this.configs.some(({ file }) => file === path)) return;
    // Loaded here because most starts have no config, and its schema takes longer to load than the rest.
    const { readConfig } = await import("../config/config.ts");
    const config = await readConfig(path, this.#show(path), this.#environment);
    this.configs.push(config);
    for (const [id, { path: target, ...options }] of Object.entries(config.endpoints)) {
      const where = `${fileAt(config.source, ["endpoints", id, "handler"])}: endpoints.${id}.handler: `;
      const module = await this.#moduleOf(target, options.type, where);
      this.#add({ id, path: module, ...typeOf(module), ...options });
    }
    for (const command of config.commands) {
      await this.#checkDirectory(command, config);
      this.#checkId(command, this.#show(path));
      this.commands.push(command);
    }
    for (const image of config.images) {
      this.#checkId(image, this.#show(path));
      this.images.push(image);
    }
  }

  /** The module behind a config's `handler`: that file, or the handler of that directory. */
  async #moduleOf(path: string, type: LocalHandler["type"], where: string): Promise<string> {
    const place = await placeAt(path, this.#cwd);
    if (place === "nothing") throw new UsageError(where + (await missingSentence(path, this.#cwd)));
    if (place === "file") {
      checkEnding(path, this.#cwd, where);
      return path;
    }
    const { handler, server } = await this.#contentOf(path);
    const module = type === "LOAD_BALANCING" ? (server ?? handler) : (handler ?? server);
    if (module !== undefined) return module;
    throw new UsageError(`${where}${this.#show(path)} holds no handler; expected ${HANDLER_NAMES}`);
  }

  async #contentOf(directory: string): Promise<DirectoryContent> {
    this.directories.add(directory);
    return contentOf(directory, this.#cwd);
  }

  #addFile(path: string): void {
    checkEnding(path, this.#cwd);
    const isNamedByDirectory = [HANDLER_STEM, SERVER_STEM].includes(stemOf(path));
    const id = isNamedByDirectory ? basename(dirname(path)) : stemOf(path);
    const what = isNamedByDirectory ? "directory" : "file";
    if (!isEndpointId(id)) {
      throw new UsageError(
        `${this.#show(path)} would be the endpoint "${id}", which cannot be part of an address: an endpoint's id consists ` +
          `of ${ENDPOINT_ID_RULE}; rename the ${what}, or name it in a ${CONFIG_NAME} under an id of its own`,
      );
    }
    if (isReservedId(id)) {
      throw new UsageError(
        `${this.#show(path)} would be the endpoint "${id}", an id that is reserved: ${reservedBecause(id)}; rename the ` +
          `${what}, or name it in a ${CONFIG_NAME} under an id of its own`,
      );
    }
    this.#add({ id, path, ...typeOf(path) });
  }

  #add(handler: LocalHandler): void {
    if ([...this.commands, ...this.images].some(({ id }) => id === handler.id))
      throw new UsageError(
        `${this.#show(handler.path)} would be the endpoint "${handler.id}", which a config makes of a command or an image; rename one`,
      );
    const other = this.handlers.find(({ id }) => id === handler.id);
    if (other === undefined) {
      this.handlers.push(handler);
    } else if (other.path !== handler.path) {
      throw new UsageError(
        `two handlers would be the endpoint "${handler.id}": ${this.#show(other.path)} and ${this.#show(handler.path)}; ` +
          `rename one, or name it in a ${CONFIG_NAME} under an id of its own`,
      );
    } else if (isConfigured(other) || isConfigured(handler)) {
      throw new UsageError(
        `${this.#show(handler.path)} is named twice for the endpoint "${handler.id}", with settings of its own in a config; name it once`,
      );
    }
  }

  async #checkDirectory({ id, cwd }: CommandEndpoint, { source }: Config): Promise<void> {
    const place = await placeAt(cwd, this.#cwd);
    if (place === "directory") return;
    const where = `${fileAt(source, ["endpoints", id, "cwd"])}: endpoints.${id}.cwd: `;
    if (place === "nothing") throw new UsageError(where + (await missingSentence(cwd, this.#cwd)));
    throw new UsageError(`${where}${this.#show(cwd)} is no directory`);
  }

  /** Checks the id of a config's endpoint before it is added. */
  #checkId({ id: wanted }: CommandEndpoint | ImageEndpoint, config: string): void {
    if ([...this.handlers, ...this.commands, ...this.images].some(({ id }) => id === wanted))
      throw new UsageError(
        `${config}: endpoints.${wanted}: another target is an endpoint of that id as well`,
      );
  }

  #show(path: string): string {
    return shownPath(path, this.#cwd);
  }
}

/** The type of a file by its name, unless its config says otherwise. */
function typeOf(path: string): Pick<LocalHandler, "type"> {
  return stemOf(path) === SERVER_STEM ? { type: "LOAD_BALANCING" } : {};
}

function isConfigured(handler: LocalHandler): boolean {
  return handler.settings !== undefined || handler.env !== undefined;
}
