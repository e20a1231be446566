/** `GET /emulator/webhooks/secret`: the secret that webhook calls are signed with (ours). */
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { webhookSecretSchema } from "../schemas/delivery.ts";
import type { Operation } from "../operation.ts";

export const readWebhookSecret: Operation = {
  methods: ["GET"],
  path: "/emulator/webhooks/secret",
  body: "skipped",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The secret.", webhookSecretSchema) },
  },
  async perform({ service }) {
    return jsonAnswer({ secret: service.webhookSecret });
  },
};
