/** Schemas of webhook deliveries. */
import { z } from "zod";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { DELIVERY_STATES } from "../../core/webhooks/delivery.ts";
import { answered, anyJson, instant } from "./contract.ts";

const trySchema = answered("DeliveryTry", {
  at: instant(),
  durationMs: z.int().min(0),
  status: z.int().optional().meta({ description: "HTTP status of the receiver's answer." }),
  error: z.string().optional().meta({ description: "Why there was no answer." }),
  warning: z.string().optional(),
});

const shape = {
  id: z.string().meta({ description: "The `webhook-id` of all its calls." }),
  jobId: z.string(),
  endpointId: z.string(),
  jobStatus: z.enum(JOB_STATUSES),
  url: z.string(),
  state: z.enum(DELIVERY_STATES),
  createdAt: instant(),
  tries: z.array(trySchema).meta({ description: "Oldest first." }),
  nextTryAt: instant().optional().meta({
    description: "Time of the next try; absent while it waits for an earlier delivery of its job.",
  }),
};

export const deliverySchema = answered("Delivery", shape);

export const deliveriesSchema = answered("Deliveries", {
  deliveries: z.array(deliverySchema),
  next: z.string().optional().meta({ description: "The `after` of the next page." }),
});

export const deliveryWithRequestSchema = answered("DeliveryWithRequest", {
  ...shape,
  request: z.strictObject({
    method: z.literal("POST"),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "Headers of the last try." }),
    body: anyJson().meta({ description: "The body, the same for every try." }),
  }),
});

export const webhookSecretSchema = answered("WebhookSecret", {
  secret: z.string().meta({ description: "`whsec_` and base64." }),
});
