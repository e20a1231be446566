/** The settings of the service in a rendered chart: the command of the kubelet, as the service reads it. */
import type { V1ConfigMap, V1Container, V1StatefulSet } from "@kubernetes/client-node";
import { readCommandLine } from "../../../emulator/cli/command.ts";
import { settle } from "../../../emulator/cli/serve/settings.ts";
import { resolveTargets } from "../../../emulator/cli/serve/targets.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import type { Rendered } from "./chart.ts";

/** Values of Secrets by their names and keys. */
export const SECRETS: Readonly<Record<string, string>> = {
  "sv-keys/SV_API_KEY": "key-of-users",
  "sv-keys/SV_SECRET_KEY": Buffer.alloc(32).toString("base64"),
  "sv-db-app/uri": "postgresql://sv:secret@db:5432/sv",
  "sv-database/uri": "postgres://sv:secret@db:5432/sv",
  "sv-bucket/address": "s3://payloads?endpoint=http://s3:9000&accessKeyId=a&secretAccessKey=b",
  "greet/token": "greeting",
};

const FIELDS: Readonly<Record<string, string>> = {
  "metadata.name": "sv-sv-runtime-0",
  "status.podIP": "10.1.2.3",
};

function containerOf(rendered: Rendered): V1Container {
  const set = rendered.one<V1StatefulSet>("StatefulSet");
  const [container] = set.spec?.template.spec?.containers ?? [];
  if (container === undefined) throw new Error("there is no container");
  return container;
}

/** The variables of the first replica, as its kubelet sets them. */
function environmentOf(rendered: Rendered): Readonly<Record<string, string>> {
  const known: Record<string, string> = {};
  for (const { name, value, valueFrom } of containerOf(rendered).env ?? []) {
    const { fieldRef, secretKeyRef } = valueFrom ?? {};
    const found =
      value?.replaceAll(/\$\((\w+)\)/gu, (whole, other: string) => known[other] ?? whole) ??
      FIELDS[fieldRef?.fieldPath ?? ""] ??
      SECRETS[`${secretKeyRef?.name}/${secretKeyRef?.key}`];
    if (found !== undefined) known[name] = found;
    else if (secretKeyRef?.optional !== true) throw new Error(`nobody knows ${name}`);
  }
  return known;
}

/** The settings of the service. */
export async function settled(rendered: Rendered) {
  const [map] = rendered.all<V1ConfigMap>("ConfigMap");
  const config = map?.data?.["sv.config.json"];
  await using handlers = await temporaryTree({
    "greet/handler.ts": "export default () => 1;",
    ...(config !== undefined && { "sv.config.json": config }),
  });
  const called = readCommandLine(containerOf(rendered).args ?? [], "1");
  if (called.kind !== "serve") throw new Error(`it is called for ${called.kind}`);
  const environment = environmentOf(rendered);
  const {
    configs,
    handlers: files,
    images,
  } = await resolveTargets(called.targets, handlers.root, environment);
  return {
    settings: settle(called.flags, environment, configs, handlers.root),
    endpoints: [...files, ...images].map(({ id }) => id).toSorted(),
  };
}
