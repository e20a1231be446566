/** Operations on the account in the second version of REST: its SSH keys. */
import { z } from "zod";
import { SSH_KEY } from "../../../core/access/account.ts";
import { replaceSshKeys, sshKeys } from "../../../engine/access/account.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { answered, json } from "../../schemas/contract.ts";
import { readBodyV2 } from "../rest-v2/read-closed.ts";

const path = "/v2/account/ssh-keys";

const keysSchema = answered("SshKeys", {
  keys: z.array(z.string()).meta({ description: "Each as a line of `authorized_keys`." }),
});

const replacementSchema = z
  .strictObject({ keys: z.array(z.string().regex(SSH_KEY)) })
  .meta({ id: "UpdateSshKeys" });

const readSshKeysV2: Operation = {
  methods: ["GET"],
  path,
  owner: "any",
  contract: { tag: "account", answers: { 200: json("The keys.", keysSchema) } },
  perform: async ({ service }) => jsonAnswer({ keys: sshKeys(service.engine) }),
};

const replaceSshKeysV2: Operation = {
  methods: ["PUT"],
  path,
  owner: "any",
  body: "read",
  contract: {
    tag: "account",
    takes: replacementSchema,
    answers: { 200: json("The keys as they are now.", keysSchema) },
    errors: ["unprocessable", "storage_full"],
  },
  async perform(call) {
    const { keys } = await readBodyV2(call, replacementSchema);
    return jsonAnswer({ keys: await replaceSshKeys(call.service.engine, keys) });
  },
};

export const ACCOUNT_V2_OPERATIONS = {
  /** `GET /account/ssh-keys`: the SSH keys of the account (live). */
  readSshKeysV2,
  /** `PUT /account/ssh-keys`: replaces the SSH keys; pods created from now on get them (live). */
  replaceSshKeysV2,
};
