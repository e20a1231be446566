/** `GET /billing/networkvolumes`: what network volumes were billed, by period (live). */
import { readVolumeBillingQuery } from "../../core/billing/billing-query.ts";
import { volumeBill } from "../../engine/billing/bills.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { volumeBillingQuery, volumeBillingRecordsSchema } from "../schemas/billing.ts";
import { json } from "../schemas/contract.ts";
import type { Operation } from "../operation.ts";

export const billNetworkVolumes: Operation = {
  methods: ["GET"],
  path: "/v1/billing/networkvolumes",
  body: "skipped",
  contract: {
    tag: "billing",
    query: volumeBillingQuery,
    answers: { 200: json("In order of time.", volumeBillingRecordsSchema) },
  },
  async perform({ service: { engine }, query }) {
    const asked = readVolumeBillingQuery(query, engine.clock.now());
    return jsonAnswer(await volumeBill(engine, asked));
  },
};
