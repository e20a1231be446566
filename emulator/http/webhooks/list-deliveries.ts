/** `GET /emulator/webhooks`: webhook deliveries, the newest first (ours). */
import { z } from "zod";
import { DELIVERY_STATES } from "../../core/webhooks/delivery.ts";
import { limitParameter, parse, parseLimit } from "../../core/input/query-parameters.ts";
import { listDeliveries as list } from "../../engine/webhooks/webhook-outbox.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { deliveriesSchema } from "../schemas/delivery.ts";
import type { Operation } from "../operation.ts";
import { deliveryBody } from "./delivery-body.ts";

const text = z.string({ error: "must be given once" }).optional();
const query = z.object({
  jobId: text.meta({ description: "Only those of this job." }),
  endpointId: text.meta({ description: "Only those of this endpoint." }),
  state: z
    .enum(DELIVERY_STATES, { error: `must be one of ${DELIVERY_STATES.join(", ")}` })
    .optional()
    .meta({ description: "Only those in this state." }),
  limit: limitParameter,
  after: text.meta({ description: "Id of the delivery after which the page begins." }),
});

export const listDeliveries: Operation = {
  methods: ["GET"],
  path: "/emulator/webhooks",
  body: "skipped",
  access: "admin",
  contract: {
    tag: "emulator",
    query,
    answers: { 200: json("A page of deliveries.", deliveriesSchema) },
  },
  async perform({ service, query: sent }) {
    const { jobId, endpointId, state, after } = query.shape;
    const filter = {
      jobId: parse(sent, "jobId", jobId),
      endpointId: parse(sent, "endpointId", endpointId),
      state: parse(sent, "state", state),
    };
    const limit = parseLimit(sent);
    const page = await list(service.engine, filter, limit, parse(sent, "after", after));
    return jsonAnswer({ deliveries: page.deliveries.map(deliveryBody), next: page.next });
  },
};
