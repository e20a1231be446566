/** `sv-emulate keys`, `token` and `audit`: makes, lists and revokes keys, and shows who changed what. */
import type { MadeScope } from "../../core/access/api-key.ts";
import { UsageError } from "../usage-error.ts";
import { type CommandCall, show, showFacts, showTable } from "./command-call.ts";
import type { AnswerOf } from "./operations.ts";
import { RefusedError } from "./service-client.ts";
import { factsText } from "./table.ts";
import { instantInWords, plain } from "./terminal.ts";

type Key = AnswerOf<"listKeys">["keys"][number];

export async function createKey(call: CommandCall): Promise<void> {
  const { subject: name, flags } = call;
  const { scope, endpoints, expires } = flags;
  if (scope === undefined) throw new UsageError("--scope is missing: what may the key do?");
  const endpointIds = endpoints?.split(",").map((id) => id.trim());
  const asked = { name, scope, endpointIds, expiresIn: expires };
  const made = await call.client.call("createKey", {}, asked);
  showFacts(call, made, {
    key: made.key,
    "": "shown only now: the emulator keeps only a digest",
    id: made.id,
    name: made.name,
    opens: opensText(made),
    expires: instantInWords(made.expiresAt),
  });
}

/** Shows a key for workers as the environment variables that they need. */
export async function createToken(call: CommandCall): Promise<void> {
  const { subject: endpointId = "", flags } = call;
  const { name = `${endpointId}-workers`, expires } = flags;
  const asked = { name, scope: "workers", endpointIds: [endpointId], expiresIn: expires };
  const made = await call.client.call("createKey", {}, asked);
  show(call, made, (paint) => {
    const { key, workerAddresses = [] } = made;
    const facts = factsText(paint, {
      name: made.name,
      opens: opensText(made),
      expires: instantInWords(made.expiresAt),
      "": "the token is shown only now: the emulator keeps only a digest",
    });
    const token = `SV_WORKER_TOKEN=${plain(key)}\n`;
    if (workerAddresses.length === 0) return `${facts}\n${token}\n${WITHOUT_PORT}`;
    const address = plain(workerAddresses.join(","));
    return `${facts}\nSV_SERVICE_ADDRESS=${address}\n${token}\n${START_WITH}`;
  });
}

const START_WITH = `on the machine of the worker, with these two in its environment:
  npx sv-worker handler.ts
`;

const WITHOUT_PORT =
  "the emulator has no port for workers: start it with --worker-port, and make a new token then\n";

/** @param scope undefined: keys of all scopes */
export async function listKeys(call: CommandCall, scope?: MadeScope): Promise<void> {
  showTable(call, await keysOf(call, scope), {
    key: ({ id }) => id,
    name: ({ name }) => name,
    opens: opensText,
    made: ({ createdAt }) => instantInWords(createdAt),
    expires: ({ expiresAt }) => instantInWords(expiresAt),
    "last used": ({ lastUsedAt }) => instantInWords(lastUsedAt),
  });
}

/** @param scope undefined: a key of any scope */
export async function revokeKey(call: CommandCall, scope?: MadeScope): Promise<void> {
  const { client, subject } = call;
  const keys = await keysOf(call, scope);
  const key = keys.find(({ id }) => id === subject) ?? keys.find(({ name }) => name === subject);
  const what = scope === undefined ? "key" : "token";
  if (key === undefined) throw new RefusedError(`there is no ${what} "${subject}"`);
  await client.call("revokeKey", { keyId: key.id });
  show(call, key, () => `${plain(key.id)} ${plain(key.name)} is revoked\n`);
}

async function keysOf({ client }: CommandCall, scope?: MadeScope): Promise<readonly Key[]> {
  const { keys } = await client.call("listKeys", {});
  return keys.filter((key) => scope === undefined || key.scope === scope);
}

export async function showAudit(call: CommandCall): Promise<void> {
  const { entries } = await call.client.call("readAudit", { limit: call.flags.limit });
  showTable(call, entries, {
    at: ({ at }) => instantInWords(at),
    key: ({ keyName }) => keyName,
    from: ({ client }) => client,
    operation: ({ operation }) => operation,
    about: ({ subject }) => subject,
    answered: ({ status }) => status,
  });
}

function opensText({ scope, endpointIds }: Key): string {
  return [scope, endpointIds?.join(", ")].filter(Boolean).join(" of ");
}
