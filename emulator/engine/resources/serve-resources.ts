/** Creates or updates shared resources from files at the start: network volumes, registry auths, templates. */
import { iso } from "../../core/time/iso.ts";
import { settleServed } from "../../core/resources/served-settings.ts";
import {
  NameTakenError,
  type ServedRegistryAuth,
  type ServedResources,
  type ServedTemplate,
} from "../../core/resources/endpoints/served-endpoint.ts";
import type { NetworkVolume } from "../../core/resources/network-volumes/network-volume.ts";
import type { RegistryAuth } from "../../core/resources/registry-auths/registry-auth.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import { templateRolls } from "../../core/resources/templates/template-change.ts";
import { billVolume } from "../billing/bill-volume.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "./catalog-port.ts";
import { sealSecret, type SecretPort, unsealSecret } from "./secret-box.ts";
import { logSettled } from "./log-overrides.ts";
import { rollEndpoints } from "./endpoints/put-endpoint.ts";

/**
 * Creates missing resources and updates the others with changes of the files since the last start; logs where file and
 * interface disagree. Call it before the endpoints are served.
 * @throws NameTakenError; ServiceError storage_full, secrets_unusable
 */
export async function serveResources(
  engine: StepPort & TimePort & TellPort & CatalogPort & SecretPort,
  { networkVolumes, registryAuths, templates }: ServedResources,
): Promise<void> {
  for (const volume of networkVolumes) await serveVolume(engine, volume);
  for (const auth of registryAuths) await serveRegistryAuth(engine, auth);
  for (const template of templates) await serveTemplate(engine, template);
}

async function serveVolume(
  engine: StepPort & TellPort & CatalogPort,
  now: NetworkVolume,
): Promise<void> {
  const { id } = now;
  const present = engine.directory.findVolume(id);
  const keep = async () => {
    const settled = await engine.steps.commit((step) => {
      const before = step.record("servedVolume", id);
      const outcome = settleServed({ stored: present ?? now, before, now: grown(present, now) });
      step.putRecord("networkVolume", id, outcome.thing);
      step.putRecord("servedVolume", id, now);
      return outcome;
    });
    if (present?.size !== settled.thing.size) billVolume(engine, settled.thing);
    logSettled(engine.log, { volumeId: id }, `the network volume "${now.name}"`, settled);
  };
  if (present !== undefined) return keep();
  await engine.volumeFiles.create(id, keep).catch((error: unknown) => {
    throw engine.steps.refusalFor(error);
  });
}

/** A volume can only grow (spec), also by a file. */
function grown(present: NetworkVolume | undefined, now: NetworkVolume): NetworkVolume {
  return { ...now, size: Math.max(now.size, present?.size ?? 0) };
}

/** Credentials come from the file at each start, whatever changed meanwhile. */
async function serveRegistryAuth(
  engine: StepPort & TimePort & SecretPort,
  { id, name, ...credentials }: ServedRegistryAuth,
): Promise<void> {
  await engine.steps.commit((step) => {
    refuseTaken("container registry auth", { id, name }, step.records("registryAuth"));
    const text = JSON.stringify(credentials);
    const stored = step.record("registryAuth", id);
    // Encrypting the same credentials again would mean storing them again.
    const sealed =
      stored && isSealed(engine, stored, text) ? stored.sealed : sealSecret(engine, id, text);
    step.putRecord("registryAuth", id, { id, name, sealed });
  });
}

function isSealed(engine: SecretPort, { id, sealed }: RegistryAuth, text: string): boolean {
  try {
    return unsealSecret(engine, id, sealed, "the credentials") === text;
  } catch {
    // The secret may be encrypted with another key, for example.
    return false;
  }
}

async function serveTemplate(
  engine: StepPort & TimePort & TellPort,
  file: ServedTemplate,
): Promise<void> {
  const { template } = file;
  const { id } = template;
  const settled = await engine.steps.commit((step) => {
    refuseTaken("template", template, step.records("template"));
    const stored = step.record("template", id);
    const before = step.record("servedTemplate", id);
    const outcome = settleServed<Template>({
      stored: stored ?? template,
      before: before?.template,
      now: template,
    });
    step.putRecord("template", id, outcome.thing);
    step.putRecord("servedTemplate", id, file);
    if (stored !== undefined && templateRolls(stored, outcome.thing))
      rollEndpoints(step, iso(engine.clock.now()), stored);
    return outcome;
  });
  logSettled(engine.log, { templateId: id }, `the template "${settled.thing.name}"`, settled);
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
      `rename the one in the config, or give it the key "${other.id}" to make both the same`,
  );
}
