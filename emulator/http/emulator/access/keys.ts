/** Operations on API keys, and how a key is shown. */
import type { ApiKey } from "../../../core/access/api-key.ts";
import { keyInputSchema, readKeyInput } from "../../../core/access/key-input.ts";
import { createKey, listKeys, revokeKey } from "../../../engine/access/manage-keys.ts";
import { jsonAnswer, NO_CONTENT } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { keysSchema, madeKeySchema } from "../../schemas/access.ts";
import { json, noContent } from "../../schemas/contract.ts";
import type { HttpService } from "../../operation/service.ts";
import { iso } from "../../../core/time/iso.ts";

const create: Operation = {
  methods: ["POST"],
  path: "/emulator/keys",
  access: "keys",
  owner: "any",
  body: "read",
  contract: {
    tag: "emulator",
    takes: keyInputSchema,
    answers: { 201: json("The key; it is shown only once.", madeKeySchema) },
    errors: ["key_name_taken", "endpoint_not_found", "wrong_endpoint_type", "storage_full"],
  },
  async perform({ service, request, response }) {
    const input = readKeyInput(await readJsonBody(request, response));
    const { keys, workerListener } = service;
    const { key, text } = await createKey(service.engine, input, workerListener?.fingerprint);
    keys.put(key);
    const workerAddresses =
      key.scope === "workers" ? (workerListener?.addresses() ?? []) : undefined;
    const body = { ...keyBody(service, key), key: text, workerAddresses };
    return { ...jsonAnswer(body), status: 201, subject: subjectOf(key) };
  },
};

const list: Operation = {
  methods: ["GET"],
  path: "/emulator/keys",
  access: "admin",
  owner: "any",
  contract: { tag: "emulator", answers: { 200: json("In order of their names.", keysSchema) } },
  async perform({ service }) {
    return jsonAnswer({ keys: listKeys(service.engine).map((key) => keyBody(service, key)) });
  },
};

const revoke: Operation<{ readonly keyId: string }> = {
  methods: ["DELETE"],
  path: "/emulator/keys/:keyId",
  access: "keys",
  owner: "any",
  contract: {
    tag: "emulator",
    answers: { 204: noContent("The key is revoked.") },
    errors: ["key_not_found", "storage_full"],
  },
  async perform({ service, path }) {
    const key = await revokeKey(service.engine, path.keyId);
    service.keys.remove(key.id);
    return { ...NO_CONTENT, subject: subjectOf(key) };
  },
};

export const KEY_OPERATIONS = {
  /** `POST /emulator/keys`: creates an API key with a scope, and shows it once (ours). */
  createKey: create,
  /** `GET /emulator/keys`: the created keys, each with the time of its last use (ours). */
  listKeys: list,
  /** `DELETE /emulator/keys/{id}`: revokes a key (ours). */
  revokeKey: revoke,
};

function keyBody({ keys }: HttpService, key: ApiKey) {
  const { digest: _, ...shown } = key;
  const usedAt = keys.usedAt(key.id);
  return { ...shown, ...(usedAt !== undefined && { lastUsedAt: iso(usedAt) }) };
}

/** The key's name is unknown after its revocation. */
function subjectOf({ id, name }: ApiKey): string {
  return `${id} ${name}`;
}
