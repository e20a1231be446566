/** Creates or updates, at the start, what the endpoints of files share: network volumes, registry auths, templates. */
import { settleServed } from "../../core/resources/served-settings.ts";
import {
  NameTakenError,
  type ServedRegistryAuth,
  type ServedResources,
  type ServedTemplate,
} from "../../core/resources/served-endpoint.ts";
import type { Endpoint } from "../../core/resources/endpoint.ts";
import type { NetworkVolume } from "../../core/resources/network-volume.ts";
import type { RegistryAuth } from "../../core/resources/registry-auth.ts";
import type { Template } from "../../core/resources/template.ts";
import { templateRolls } from "../../core/resources/template-change.ts";
import type { StoreTransaction } from "../../store/store.ts";
import { billVolume } from "../billing/bill-volume.ts";
import type { Uses } from "../context.ts";
import { sealSecret, unsealSecret } from "./secret-box.ts";
import { logSettled } from "./log-overrides.ts";
import { rollEndpoints } from "./update-template.ts";

/**
 * Creates what is missing and updates the rest with what the files say anew since the last start; the log says where file
 * and interface disagree. To be called before the endpoints are served.
 *
 * @throws NameTakenError; ServiceError storage_full, secrets_unusable
 */
export async function serveResources(
  engine: Uses<
    | "directory"
    | "log"
    | "prices"
    | "random"
    | "secretKey"
    | "steps"
    | "usage"
    | "volumeFiles"
    | "volumes"
  >,
  { networkVolumes, registryAuths, templates }: ServedResources,
): Promise<void> {
  for (const volume of networkVolumes) await serveVolume(engine, volume);
  for (const auth of registryAuths) await serveRegistryAuth(engine, auth);
  for (const template of templates) await serveTemplate(engine, template);
}

async function serveVolume(
  engine: Uses<"log" | "prices" | "steps" | "usage" | "volumeFiles" | "volumes">,
  now: NetworkVolume,
): Promise<void> {
  const { id } = now;
  const present = engine.volumes.find(id);
  const keep = async () => {
    const settled = await engine.steps.commit(async (tx) => {
      const before = await tx.record("servedVolume", id);
      const outcome = settleServed({ stored: present ?? now, before, now: grown(present, now) });
      await tx.putRecord("networkVolume", id, outcome.thing);
      await tx.putRecord("servedVolume", id, now);
      return outcome;
    });
    engine.volumes.keep(settled.thing);
    if (present?.size !== settled.thing.size) billVolume(engine, settled.thing);
    logSettled(engine.log, { volumeId: id }, `the network volume "${now.name}"`, settled);
  };
  if (present !== undefined) return keep();
  await engine.volumeFiles.create(id, keep).catch((error: unknown) => {
    throw engine.steps.refusalFor(error);
  });
}

/** A volume only grows (spec), also by a file. */
function grown(present: NetworkVolume | undefined, now: NetworkVolume): NetworkVolume {
  return { ...now, size: Math.max(now.size, present?.size ?? 0) };
}

/** The credentials of the file are the newer ones always: over the interface they cannot be changed. */
async function serveRegistryAuth(
  engine: Uses<"random" | "secretKey" | "steps">,
  { id, name, ...credentials }: ServedRegistryAuth,
): Promise<void> {
  await engine.steps.commit(async (tx) => {
    refuseTaken("container registry auth", { id, name }, await tx.records("registryAuth"));
    const text = JSON.stringify(credentials);
    const stored = await tx.record("registryAuth", id);
    // Encrypted anew, even the same ones would have to be stored.
    const sealed =
      stored && isSealed(engine, stored, text) ? stored.sealed : sealSecret(engine, id, text);
    await tx.putRecord("registryAuth", id, { id, name, sealed });
  });
}

function isSealed(engine: Uses<"secretKey">, { id, sealed }: RegistryAuth, text: string): boolean {
  try {
    return unsealSecret(engine, id, sealed, "the credentials") === text;
  } catch {
    // With another key, for one.
    return false;
  }
}

async function serveTemplate(
  engine: Uses<"directory" | "log" | "steps">,
  file: ServedTemplate,
): Promise<void> {
  const { template } = file;
  const { id } = template;
  const { settled, endpoints } = await engine.steps.commit(async (tx) => {
    refuseTaken("template", template, await tx.records("template"));
    const stored = await tx.record("template", id);
    const before = await tx.record("servedTemplate", id);
    const outcome = settleServed<Template>({
      stored: stored ?? template,
      before: before?.template,
      now: template,
    });
    await tx.putRecord("template", id, outcome.thing);
    await tx.putRecord("servedTemplate", id, file);
    return { settled: outcome, endpoints: await rolledBy(tx, stored, outcome.thing) };
  });
  engine.directory.keepTemplate(settled.thing);
  for (const endpoint of endpoints) engine.directory.keepEndpoint(endpoint);
  logSettled(engine.log, { templateId: id }, `the template "${settled.thing.name}"`, settled);
}

async function rolledBy(
  tx: StoreTransaction,
  before: Template | undefined,
  after: Template,
): Promise<readonly Endpoint[]> {
  if (before === undefined || !templateRolls(before, after)) return [];
  return rollEndpoints(tx, after.id);
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function refuseTaken(kind: string, { id, name }: Named, all: readonly Named[]): void {
  const other = all.find((each) => each.name === name && each.id !== id);
  if (other === undefined) return;
  throw new NameTakenError(
    `there is a ${kind} named "${name}" already, which was made over the management interface (${other.id}); ` +
      `give that of the config another name, or "${other.id}" as its key to make it the same one`,
  );
}
