/** `POST /emulator/webhooks/{id}/redeliver`: sends a settled delivery again, with the same id and body (ours). */
import { redeliver as sendAgain } from "../../engine/webhooks/webhook-outbox.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { deliverySchema } from "../schemas/delivery.ts";
import type { DeliveryPath, Operation } from "../operation.ts";
import { deliveryBody } from "./delivery-body.ts";

export const redeliver: Operation<DeliveryPath> = {
  methods: ["POST"],
  path: "/emulator/webhooks/:deliveryId/redeliver",
  body: "skipped",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The delivery, pending again.", deliverySchema) },
    errors: ["delivery_not_found", "delivery_pending", "storage_full"],
  },
  async perform({ service, path }) {
    return jsonAnswer(deliveryBody(await sendAgain(service.engine, path.deliveryId)));
  },
};
