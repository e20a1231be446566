/** `sv-emulate keys` and `sv-emulate audit`: makes, lists and revokes API keys, and shows who changed what. */
import { UsageError } from "../usage-error.ts";
import { auditSchema, keysSchema, madeKeySchema, type ShownKey } from "./answers.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { RefusedError } from "./service-client.ts";
import { factsText, tableText } from "./table.ts";
import { instantInWords, painter, plain } from "./terminal.ts";

const PATH = "/emulator/keys";

export async function createKey(call: OperationCall, name: string): Promise<void> {
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

export async function listKeys(call: OperationCall): Promise<void> {
  const { keys } = await call.client.get(PATH, keysSchema);
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

/** @param wanted id or name of a key */
export async function revokeKey(call: OperationCall, wanted: string): Promise<void> {
  const { keys } = await call.client.get(PATH, keysSchema);
  const key = keys.find(({ id }) => id === wanted) ?? keys.find(({ name }) => name === wanted);
  if (key === undefined) throw new RefusedError(`there is no key "${wanted}"`);
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
