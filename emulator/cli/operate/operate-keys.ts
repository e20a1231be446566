/** `sv-emulate keys`, `sv-emulate token` and `sv-emulate audit`: makes, lists and revokes keys, and shows who changed what. */
import type { MadeScope } from "../../core/access/api-key.ts";
import { UsageError } from "../usage-error.ts";
import { auditSchema, keysSchema, madeKeySchema, type ShownKey } from "./answers.ts";
import type { OperateName } from "./operate-flags.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { RefusedError } from "./service-client.ts";
import { factsText, tableText } from "./table.ts";
import { instantInWords, painter, plain } from "./terminal.ts";

const PATH = "/emulator/keys";

/** The subcommands whose names begin with `keys` or `token`. */
export function operateKeys(
  call: OperationCall,
  name: Extract<OperateName, `keys ${string}` | `token ${string}`>,
): Promise<void> {
  const { subject = "" } = call;
  switch (name) {
    case "keys create":
      return createKey(call, subject);
    case "keys list":
      return listKeys(call);
    case "keys revoke":
      return revokeKey(call, subject);
    case "token create":
      return createToken(call, subject);
    case "token list":
      return listKeys(call, "workers");
    case "token revoke":
      return revokeKey(call, subject, "workers");
  }
}

async function createKey(call: OperationCall, name: string): Promise<void> {
  const { scope, endpoints, expires } = call.flags;
  if (scope === undefined) throw new UsageError("say with --scope what the key is to open");
  const endpointIds = endpoints?.split(",").map((id) => id.trim());
  const body = JSON.stringify({ name, scope, endpointIds, expiresIn: expires });
  const made = await call.client.post(PATH, madeKeySchema, body);
  show(call, made, () =>
    factsText(painter(call.terminal), [
      ["key", plain(made.key)],
      ["", "shown this once: only a digest of it is kept"],
      ["id", plain(made.id)],
      ["name", plain(made.name)],
      ["opens", opensText(made)],
      ["expires", instantInWords(made.expiresAt)],
    ]),
  );
}

/** A key for workers of an endpoint, as the variables that they need. */
async function createToken(call: OperationCall, endpointId: string): Promise<void> {
  const { name = `${endpointId}-workers`, expires } = call.flags;
  const asked = { name, scope: "workers", endpointIds: [endpointId], expiresIn: expires };
  const made = await call.client.post(PATH, madeKeySchema, JSON.stringify(asked));
  show(call, made, () => {
    const { key, workerAddresses = [] } = made;
    const address = workerAddresses.join(",");
    const facts = factsText(painter(call.terminal), [
      ["name", plain(made.name)],
      ["opens", opensText(made)],
      ["expires", instantInWords(made.expiresAt)],
      ["", "the token is shown this once: only a digest of it is kept"],
    ]);
    if (address === "") return `${facts}\n${withoutPort(key)}`;
    const variables = `SV_SERVICE_ADDRESS=${plain(address)}\nSV_WORKER_TOKEN=${plain(key)}\n`;
    return `${facts}\n${variables}\n${START_WITH}`;
  });
}

const START_WITH = `on the machine of the worker, with these two in its environment:
  npx sv-worker handler.ts
`;

function withoutPort(key: string): string {
  return `SV_WORKER_TOKEN=${plain(key)}

the emulator has no port for workers: start it with --worker-port, and make a new token then
`;
}

/** @param scope undefined: of all */
async function listKeys(call: OperationCall, scope?: MadeScope): Promise<void> {
  const { keys: all } = await call.client.get(PATH, keysSchema);
  const keys = all.filter((key) => scope === undefined || key.scope === scope);
  show(call, keys, () =>
    tableText(
      ["key", "name", "opens", "made", "expires", "last used"],
      keys.map((key) => [
        plain(key.id),
        plain(key.name),
        opensText(key),
        instantInWords(key.createdAt),
        instantInWords(key.expiresAt),
        instantInWords(key.lastUsedAt),
      ]),
    ),
  );
}

/** @param wanted id or name of a key @param scope undefined: any */
async function revokeKey(call: OperationCall, wanted: string, scope?: MadeScope): Promise<void> {
  const { keys: all } = await call.client.get(PATH, keysSchema);
  const keys = all.filter((key) => scope === undefined || key.scope === scope);
  const key = keys.find(({ id }) => id === wanted) ?? keys.find(({ name }) => name === wanted);
  const what = scope === undefined ? "key" : "token";
  if (key === undefined) throw new RefusedError(`there is no ${what} "${wanted}"`);
  await call.client.delete(`${PATH}/${encodeURIComponent(key.id)}`);
  show(call, key, () => `${plain(key.id)} ${plain(key.name)} opens nothing any more\n`);
}

export async function showAudit(call: OperationCall): Promise<void> {
  const { limit } = call.flags;
  const query = new URLSearchParams(limit === undefined ? {} : { limit });
  const path = `/emulator/audit?${query.toString()}`;
  const { entries } = await call.client.get(path, auditSchema);
  show(call, entries, () =>
    tableText(
      ["at", "key", "from", "operation", "about", "answered"],
      entries.map((entry) => [
        instantInWords(entry.at),
        plain(entry.keyName),
        plain(entry.client),
        plain(entry.operation),
        plain(entry.subject),
        String(entry.status),
      ]),
    ),
  );
}

function opensText({ scope, endpointIds }: ShownKey): string {
  return plain([scope, endpointIds?.join(", ")].filter(Boolean).join(" of "));
}
