/** Reads the credentials that `docker login` stored for a registry: in its config file, or with a helper program. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { failedImage, ImageError } from "../image-error.ts";

/** Credentials in the form of the engine. */
export type Login =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string };

/** User name of a helper's answer whose secret is a token. */
const TOKEN_USER = "<token>";
const NOT_FOUND = "credentials not found in native keychain";

/**
 * Undefined without a login for the registry.
 *
 * @param directory of the config file; default: `DOCKER_CONFIG`, or `.docker` in the home directory
 * @throws ImageError if the file cannot be read, or its helper fails
 */
export async function loginFor(
  registry: string,
  directory = process.env["DOCKER_CONFIG"] ?? path.join(os.homedir(), ".docker"),
): Promise<Login | undefined> {
  const { auths = {}, credHelpers = {}, credsStore } = await configIn(directory);
  const helper = credHelpers[hostOf(registry)] ?? credHelpers[registry] ?? credsStore;
  if (helper !== undefined) return askHelper(helper, registry);
  const [, kept] =
    Object.entries(auths).find(([server]) => hostOf(server) === hostOf(registry)) ?? [];
  if (kept?.identitytoken) return { identitytoken: kept.identitytoken, serveraddress: registry };
  if (!kept?.auth) return undefined;
  const [username = "", ...rest] = Buffer.from(kept.auth, "base64").toString().split(":");
  return { username, password: rest.join(":"), serveraddress: registry };
}

interface DockerConfig {
  readonly auths?: Readonly<
    Record<string, { readonly auth?: string; readonly identitytoken?: string }>
  >;
  /** Suffix of the helper's name. */
  readonly credsStore?: string;
  /** Suffixes of helpers for single registries. */
  readonly credHelpers?: Readonly<Record<string, string>>;
}

async function configIn(directory: string): Promise<DockerConfig> {
  const file = path.join(directory, "config.json");
  try {
    return JSON.parse(await readFile(file, "utf8")) as DockerConfig;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw failedImage(`the logins of docker cannot be read from ${file}`, error);
  }
}

/** The host of a registry: old logins have a protocol and a path. */
function hostOf(registry: string): string {
  return registry.replace(/^https?:\/\//u, "").replace(/\/.*$/u, "");
}

/** Asks one of Docker's credential helpers: it reads the registry and writes JSON. */
async function askHelper(helper: string, registry: string): Promise<Login | undefined> {
  const program = `docker-credential-${helper}`;
  const child = spawn(program, ["get"], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  child.stdin.on("error", () => undefined).end(registry);
  const said = Promise.all([text(child.stdout), text(child.stderr), ended]);
  const [out, err, code] = await said.catch((error: unknown) => {
    throw new ImageError(`${program}, which stores the logins of docker, cannot be run`, {
      cause: error,
    });
  });
  if (out.trim() === NOT_FOUND) return undefined;
  if (code !== 0) throw new ImageError(`${program} failed: ${(out + err).trim()}`);
  const { Username: username = "", Secret: password = "" } = JSON.parse(out) as {
    readonly Username?: string;
    readonly Secret?: string;
  };
  if (username === TOKEN_USER) return { identitytoken: password, serveraddress: registry };
  return { username, password, serveraddress: registry };
}
