/** Entries of the audit: the change, its time and its key. */
import { expect, it } from "vitest";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import type { AuditEntry } from "../../../../../emulator/core/access/audit-entry.ts";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { storeThatFills } from "../../../engine/filling-store.ts";
import { storeWith } from "../../../engine/store-with.ts";
import { KEY, made, makeKey, startTestHttp, type TestHttp } from "../../http-harness.ts";

interface Shown extends Omit<AuditEntry, "at"> {
  readonly at: string;
}

async function audit(service: TestHttp, query = ""): Promise<{ entries: Shown[]; next?: string }> {
  const { json } = await service.call("GET", `/emulator/audit${query}`);
  return json as { entries: Shown[]; next?: string };
}

/** Entries, oldest first. */
async function noted(service: TestHttp): Promise<string[]> {
  const { entries } = await audit(service, "?limit=100");
  return entries
    .map(({ keyName, operation, subject, status }) =>
      [keyName, operation, subject, status].join(" | "),
    )
    .toReversed();
}

const TEMPLATE = { name: "t", imageName: "i:1", isServerless: true };

it("an entry has the time, the caller, the address, the change and its outcome", async () => {
  await using service = await startTestHttp();
  const at = service.test.engine.clock.now();
  const id = await made(service, "/v1/templates", TEMPLATE);
  expect(await audit(service)).toEqual({
    entries: [
      {
        id: expect.any(String),
        at: new Date(at).toISOString(),
        keyId: "user",
        keyName: "user",
        client: "127.0.0.1",
        operation: "createTemplate",
        subject: id,
        status: 200,
      },
    ],
  });
  const [line] = service.test.logged.filter(({ fields }) => "audit" in fields);
  expect(line?.message).toBe(`the key "user" from 127.0.0.1 asked for createTemplate (${id}): 200`);
});

it("the audit has each change of resources, keys, clock and workers, refused ones too, and no secret", async () => {
  await using service = await startTestHttp();
  const ops = await makeKey(service, { name: "ops", scope: "management" });
  const headers = { authorization: `Bearer ${ops.key}` };
  const ask = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) =>
    (await service.call(method, path, { headers, ...(body !== undefined && { body }) })).status;
  await ask("PATCH", "/v1/endpoints/echo", { workersMax: 2 });
  await ask("PATCH", "/live/v1/endpoints/echo", { workersMax: -1 });
  await ask("DELETE", "/v1/templates/none");
  await ask("POST", "/emulator/clock", { advance: "1m" });
  await ask("POST", "/emulator/workers/none/kill");
  await ask("GET", "/emulator/webhooks/secret");
  await ask("POST", "/emulator/jobs/cancel", { filter: { endpointId: "echo" } });
  await service.run();
  await service.call("POST", "/v2/echo/purge-queue");
  await service.call("DELETE", `/emulator/keys/${ops.id}`);
  expect(await noted(service)).toEqual([
    `user | createKey | ${ops.id} ops | 201`,
    "ops | updateEndpoint | echo | 200",
    "ops | updateEndpoint | echo | 400",
    "ops | deleteTemplate | none | 404",
    "ops | advanceClock | +60000 ms | 200",
    "ops | killWorker | none | 404",
    "ops | readWebhookSecret |  | 200",
    "ops | cancelMatching | 0 jobs | 200",
    "user | purgeQueue | echo, 1 jobs | 200",
    `user | revokeKey | ${ops.id} ops | 204`,
  ]);
  const all = JSON.stringify([await audit(service), service.test.logged]);
  for (const secret of [ops.key, KEY, "whsec_"]) expect(all).not.toContain(secret);
});

it("the audit has no entries for jobs, reads and unauthorized callers", async () => {
  await using service = await startTestHttp();
  const body = { input: {} };
  const { json } = await service.call("POST", "/v2/echo/run", { body });
  await service.call("POST", `/v2/echo/cancel/${(json as { id: string }).id}`);
  await service.call("GET", "/v1/endpoints");
  for (const authorization of ["", "wrong"])
    await service.call("POST", "/v1/templates", { body: TEMPLATE, headers: { authorization } });
  expect(await noted(service)).toEqual([]);
});

it("the audit survives a restart, and is read page by page from the newest entry", async () => {
  const store = storeWith(createMemoryStore(), { close: async () => undefined });
  {
    await using service = await startTestHttp({ store });
    for (const name of ["a", "b", "c"])
      await service.call("POST", "/v1/templates", { body: { ...TEMPLATE, name } });
  }
  await using service = await startTestHttp({ store });
  const first = await audit(service, "?limit=2");
  const second = await audit(service, `?limit=2&after=${first.next}`);
  const ids = [...first.entries, ...second.entries].map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect([first.entries.length, second.entries.length, second.next]).toEqual([2, 1, undefined]);
});

it("the audit keeps the newest entries, up to its bound and a hundred more", async () => {
  await using service = await startTestHttp();
  const { steps } = service.test.engine;
  const old = {
    at: 0,
    keyId: "k",
    keyName: "k",
    client: "",
    operation: "o",
    subject: "",
    status: 200,
  };
  await steps.commit((step) => {
    for (let number = 0; number < LIMITS.auditEntriesKept + 5; number += 1) {
      const id = `0000${String(number).padStart(6, "0")}`;
      step.putRecord("audit", id, { ...old, id });
    }
  });
  await service.call("POST", "/v1/templates", { body: TEMPLATE });
  const kept = steps.records.inOrder("audit");
  expect(kept).toHaveLength(LIMITS.auditEntriesKept);
  expect([kept[0]?.id, kept.at(-1)?.operation]).toEqual(["0000000006", "createTemplate"]);
});

it("a change without room for its audit entry is logged", async () => {
  const { store, fill } = storeThatFills();
  await using service = await startTestHttp({ store });
  fill(true);
  const { status } = await service.call("POST", "/v1/templates", { body: TEMPLATE });
  expect(status).toBe(507);
  expect(await noted(service)).toEqual([]);
  const messages = service.test.logged.map(({ message }) => message);
  expect(messages).toContain('the key "user" from 127.0.0.1 asked for createTemplate: 507');
  expect(messages).toContain("an entry of the audit could not be stored");
});
