/** Operations on webhook deliveries, and how a delivery is shown. */
import { z } from "zod";
import { limitParameter, parse, parseLimit } from "../../../core/input/query-parameters.ts";
import { type Delivery, DELIVERY_STATES } from "../../../core/webhooks/delivery.ts";
import { redeliver } from "../../../engine/webhooks/change-deliveries.ts";
import { listDeliveries, readDelivery } from "../../../engine/webhooks/webhook-outbox.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { json } from "../../schemas/contract.ts";
import {
  deliveriesSchema,
  deliverySchema,
  deliveryWithRequestSchema,
  webhookSecretSchema,
} from "../../schemas/delivery.ts";
import { iso } from "../../../core/time/iso.ts";

interface DeliveryPath {
  readonly deliveryId: string;
}

const text = z.string({ error: "must be given once" }).optional();
const listQuery = z.object({
  jobId: text.meta({ description: "Only deliveries of this job." }),
  endpointId: text.meta({ description: "Only deliveries of this endpoint." }),
  state: z
    .enum(DELIVERY_STATES, { error: `must be one of ${DELIVERY_STATES.join(", ")}` })
    .optional()
    .meta({ description: "Only deliveries in this state." }),
  limit: limitParameter,
  after: text.meta({ description: "Id of the delivery after which the page begins." }),
});

const list: Operation = {
  methods: ["GET"],
  path: "/emulator/webhooks",
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    query: listQuery,
    answers: { 200: json("A page of deliveries.", deliveriesSchema) },
  },
  async perform({ service, query }) {
    const { jobId, endpointId, state, after } = listQuery.shape;
    const filter = {
      jobId: parse(query, "jobId", jobId),
      endpointId: parse(query, "endpointId", endpointId),
      state: parse(query, "state", state),
    };
    const limit = parseLimit(query);
    const page = await listDeliveries(service.engine, filter, limit, parse(query, "after", after));
    return jsonAnswer({ deliveries: page.deliveries.map(deliveryBody), next: page.next });
  },
};

const readSecret: Operation = {
  methods: ["GET"],
  path: "/emulator/webhooks/secret",
  owner: "any",
  access: "admin",
  // The secret allows forging calls, so reading it needs a scope that may change things.
  reads: false,
  contract: { tag: "emulator", answers: { 200: json("The secret.", webhookSecretSchema) } },
  perform: async ({ service }) => jsonAnswer({ secret: service.webhookSecret }),
};

const read: Operation<DeliveryPath> = {
  methods: ["GET"],
  path: "/emulator/webhooks/:deliveryId",
  owner: "any",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The delivery.", deliveryWithRequestSchema) },
    errors: ["delivery_not_found"],
  },
  async perform({ service, path }) {
    const { delivery, body } = await readDelivery(service.engine, path.deliveryId);
    const shown = JSON.stringify(deliveryBody(delivery)).slice(0, -1);
    const { sentHeaders } = delivery;
    const headers = sentHeaders === undefined ? "" : `"headers":${JSON.stringify(sentHeaders)},`;
    // The body is inserted byte for byte as it is sent.
    const head = `${shown},"request":{"method":"POST",${headers}"body":`;
    return { status: 200, pieces: [head, ...body, "}}"] };
  },
};

const sendAgain: Operation<DeliveryPath> = {
  methods: ["POST"],
  path: "/emulator/webhooks/:deliveryId/redeliver",
  owner: {
    find: async ({ service, path }) =>
      (await readDelivery(service.engine, path.deliveryId)).delivery.endpointId,
  },
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The delivery, pending again.", deliverySchema) },
    errors: ["delivery_not_found", "delivery_pending", "storage_full"],
  },
  async perform({ service, path }) {
    return jsonAnswer(deliveryBody(await redeliver(service.engine, path.deliveryId)));
  },
};

export const DELIVERY_OPERATIONS = {
  /** `GET /emulator/webhooks`: webhook deliveries, newest first (ours). */
  listDeliveries: list,
  /** `GET /emulator/webhooks/secret`: the secret that signs webhook calls (ours). */
  readWebhookSecret: readSecret,
  /** `GET /emulator/webhooks/{id}`: a delivery with its last request (ours). */
  readDelivery: read,
  /** `POST /emulator/webhooks/{id}/redeliver`: sends a settled delivery again, with the same id and body (ours). */
  redeliver: sendAgain,
};

function deliveryBody(delivery: Delivery) {
  const { id, jobId, endpointId, jobStatus, url, state, createdAt, tries, nextTryAt } = delivery;
  return {
    id,
    jobId,
    endpointId,
    jobStatus,
    url,
    state,
    createdAt: iso(createdAt),
    tries: tries.map((made) => ({ ...made, at: iso(made.at) })),
    ...(nextTryAt !== undefined && { nextTryAt: iso(nextTryAt) }),
  };
}
