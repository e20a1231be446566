/** `GET /billing/endpoints`: what workers were billed, by period and endpoint, worker or GPU type (live). */
import { readEndpointBillingQuery } from "../../core/billing/billing-query.ts";
import { machineBill } from "../../engine/billing/bills.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { endpointBillingQuery, billingRecordsSchema } from "../schemas/billing.ts";
import { json } from "../schemas/contract.ts";
import type { Operation } from "../operation.ts";

export const billEndpoints: Operation = {
  methods: ["GET"],
  path: "/v1/billing/endpoints",
  body: "skipped",
  contract: {
    tag: "billing",
    query: endpointBillingQuery,
    answers: { 200: json("In order of time.", billingRecordsSchema) },
  },
  async perform({ service: { engine }, query }) {
    const asked = readEndpointBillingQuery(query, engine.clock.now());
    return jsonAnswer(await machineBill(engine, asked));
  },
};
