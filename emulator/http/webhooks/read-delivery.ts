/** `GET /emulator/webhooks/{id}`: a delivery with the request as it was sent last (ours). */
import { readDelivery as read } from "../../engine/webhooks/webhook-outbox.ts";
import { json } from "../schemas/contract.ts";
import { deliveryWithRequestSchema } from "../schemas/delivery.ts";
import type { DeliveryPath, Operation } from "../operation.ts";
import { deliveryBody } from "./delivery-body.ts";

export const readDelivery: Operation<DeliveryPath> = {
  methods: ["GET"],
  path: "/emulator/webhooks/:deliveryId",
  body: "skipped",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The delivery.", deliveryWithRequestSchema) },
    errors: ["delivery_not_found"],
  },
  async perform({ service, path }) {
    const { delivery, body } = await read(service.engine, path.deliveryId);
    const shown = JSON.stringify(deliveryBody(delivery)).slice(0, -1);
    const { sentHeaders } = delivery;
    const headers = sentHeaders === undefined ? "" : `"headers":${JSON.stringify(sentHeaders)},`;
    // The body's bytes stand there as they are sent.
    const head = `${shown},"request":{"method":"POST",${headers}"body":`;
    return { status: 200, pieces: [head, ...body, "}}"] };
  },
};
