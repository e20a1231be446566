/** Runs `sv-emulate export`: writes the resources of a running emulator as a config. */
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { ExportFlags } from "../config/config-flags.ts";
import type { ConfigInput } from "../config/config-schema.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { shownPath } from "../given-path.ts";
import { ServiceClient } from "../operate/service-client.ts";
import type { Environment } from "../serve/setting-values.ts";
import { failedUse, UsageError } from "../usage-error.ts";
import { configOf, type ExportedResources } from "./config-of.ts";

export interface ExportOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface ExportPlace {
  readonly cwd: string;
  readonly env: Environment;
}

/**
 * @param signal aborts the requests to the emulator
 * @throws UnreachableError, RefusedError; UsageError if the file cannot be written
 */
export async function runExport(
  { url, ts, out }: ExportFlags,
  { cwd, env }: ExportPlace,
  output: ExportOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  const file = out === undefined ? undefined : resolve(cwd, out);
  const resources = await fetchResources(new ServiceClient(url, env, signal));
  const { config, losses } = configOf(resources, file === undefined ? cwd : dirname(file));
  for (const loss of losses) output.err(`warning: ${loss}\n`);
  const text = ts === true ? asTypeScript(config) : asJson(config);
  if (file === undefined) output.out(text);
  else await write(file, text, shownPath(file, cwd));
  return EXIT.stopped;
}

function asJson(config: ConfigInput): string {
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function asTypeScript(config: ConfigInput): string {
  // In indented JSON a line that begins with a string and a colon is a member.
  const literal = JSON.stringify(config, undefined, 2).replaceAll(
    /^( +)"([A-Za-z_$][\w$]*)":/gmu,
    "$1$2:",
  );
  return `import { defineConfig } from "sv-runtime/config";\n\nexport default defineConfig(${literal});\n`;
}

/** Writes a new file. An existing one is not overwritten. */
async function write(file: string, text: string, shown: string): Promise<void> {
  await writeFile(file, text, { flag: "wx" }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST"))
      throw failedUse(`${shown} cannot be written`, error);
    throw new UsageError(`${shown} exists already; name another file`, { cause: error });
  });
}

/** @throws UsageError, UnreachableError, RefusedError */
async function fetchResources(client: ServiceClient): Promise<ExportedResources> {
  const all = { includeEndpointBoundTemplates: "true", includePublicTemplates: "true" };
  return {
    endpoints: await client.call("listEndpoints", {}),
    templates: await client.call("listTemplates", all),
    networkVolumes: await client.call("listNetworkVolumes", {}),
    registryAuths: await client.call("listRegistryAuths", {}),
    origins: await client.call("readOrigins", {}),
  };
}
