/** `GET /billing/pods`: what pods were billed, by period and GPU type or pod (live). */
import { readPodBillingQuery } from "../../core/billing/billing-query.ts";
import { machineBill } from "../../engine/billing/bills.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { podBillingQuery, billingRecordsSchema } from "../schemas/billing.ts";
import { json } from "../schemas/contract.ts";
import type { Operation } from "../operation.ts";

export const billPods: Operation = {
  methods: ["GET"],
  path: "/v1/billing/pods",
  body: "skipped",
  contract: {
    tag: "billing",
    query: podBillingQuery,
    answers: { 200: json("In order of time.", billingRecordsSchema) },
  },
  async perform({ service: { engine }, query }) {
    const asked = readPodBillingQuery(query, engine.clock.now());
    return jsonAnswer(await machineBill(engine, asked));
  },
};
