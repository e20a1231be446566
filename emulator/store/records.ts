/** Data that the store keeps as whole records, by kind and id. */
import type { Account } from "../core/access/account.ts";
import type { ApiKey } from "../core/access/api-key.ts";
import type { AuditEntry } from "../core/access/audit-entry.ts";
import type { Usage } from "../core/billing/usage.ts";
import type { Pod } from "../core/pods/pod.ts";
import type { Endpoint } from "../core/resources/endpoints/endpoint.ts";
import type { NetworkVolume } from "../core/resources/network-volumes/network-volume.ts";
import type { RegistryAuth } from "../core/resources/registry-auths/registry-auth.ts";
import type { Release } from "../core/resources/endpoints/release.ts";
import type { SecretCheck } from "../core/resources/secrets/secret-check.ts";
import type {
  ServedEndpoint,
  ServedTemplate,
} from "../core/resources/endpoints/served-endpoint.ts";
import type { Template } from "../core/resources/templates/template.ts";
import type { ClockRecord } from "../core/time/clock.ts";
import type { UnfinishedMove } from "../core/unfinished-move.ts";
import type { WebhookSecret } from "../core/webhooks/webhook-secret.ts";
import type { WorkerCertificate } from "../core/workers/worker-certificate.ts";

export interface Records {
  readonly account: Account;
  readonly template: Template;
  readonly endpoint: Endpoint;
  readonly apiKey: ApiKey;
  readonly audit: AuditEntry;
  readonly registryAuth: RegistryAuth;
  /** Releases of all endpoints, by their own ids. */
  readonly release: Release;
  /** Content of the files at the last start, by endpoint. */
  readonly served: ServedEndpoint;
  /** Templates of the files at the last start, by their own ids. Endpoints share them. */
  readonly servedTemplate: ServedTemplate;
  readonly servedVolume: NetworkVolume;
  readonly clock: ClockRecord;
  readonly webhookSecret: WebhookSecret;
  readonly workerCertificate: WorkerCertificate;
  readonly networkVolume: NetworkVolume;
  readonly usage: Usage;
  readonly pod: Pod;
  /** Only in a store that several processes share. */
  readonly secretCheck: SecretCheck;
  readonly unfinishedMove: UnfinishedMove;
}

export type RecordKind = keyof Records;

export type RecordsByKind = { readonly [K in RecordKind]: Map<string, Records[K]> };

/** Reads all records except usage. @param texts id and JSON of each record of a kind */
export async function parsedRecords(
  texts: (kind: RecordKind) => Promise<readonly (readonly [id: string, json: string])[]>,
): Promise<Omit<RecordsByKind, "usage">> {
  const { usage: _, ...records } = noRecords();
  for (const [kind, byId] of Object.entries(records) as [RecordKind, Map<string, unknown>][])
    for (const [id, json] of await texts(kind)) byId.set(id, JSON.parse(json));
  return records;
}

export function noRecords(): RecordsByKind {
  return {
    account: new Map(),
    template: new Map(),
    endpoint: new Map(),
    apiKey: new Map(),
    audit: new Map(),
    registryAuth: new Map(),
    release: new Map(),
    served: new Map(),
    servedTemplate: new Map(),
    servedVolume: new Map(),
    clock: new Map(),
    webhookSecret: new Map(),
    workerCertificate: new Map(),
    networkVolume: new Map(),
    usage: new Map(),
    pod: new Map(),
    secretCheck: new Map(),
    unfinishedMove: new Map(),
  };
}
