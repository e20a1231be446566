/** Billing operations of the first version of the management interface. */
import type { z } from "zod";
import {
  readEndpointBillingQuery,
  readPodBillingQuery,
  readVolumeBillingQuery,
} from "../../../core/billing/billing-query.ts";
import type { QueryParameters } from "../../../core/input/query-parameters.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import { machineBill, volumeBill } from "../../../engine/billing/bills.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import {
  billingRecordsSchema,
  endpointBillingQuery,
  podBillingQuery,
  volumeBillingQuery,
  volumeBillingRecordsSchema,
} from "../../schemas/billing.ts";
import { json } from "../../schemas/contract.ts";

export const BILLING_OPERATIONS = {
  /** `GET /billing/pods`: costs of pods by period and GPU type or pod (live). */
  billPods: bill("pods", podBillingQuery, billingRecordsSchema, (engine, query) =>
    machineBill(engine, readPodBillingQuery(query, engine.clock.now())),
  ),
  /** `GET /billing/endpoints`: costs of workers by period and endpoint, worker or GPU type (live). */
  billEndpoints: bill("endpoints", endpointBillingQuery, billingRecordsSchema, (engine, query) =>
    machineBill(engine, readEndpointBillingQuery(query, engine.clock.now())),
  ),
  /** `GET /billing/networkvolumes`: costs of network volumes by period (live). */
  billNetworkVolumes: bill(
    "networkvolumes",
    volumeBillingQuery,
    volumeBillingRecordsSchema,
    (engine, query) => volumeBill(engine, readVolumeBillingQuery(query, engine.clock.now())),
  ),
};

function bill(
  what: string,
  query: z.ZodObject,
  schema: z.ZodType,
  read: (engine: TimePort & CatalogPort, query: QueryParameters) => Promise<unknown>,
): Operation {
  return {
    methods: ["GET"],
    path: `/v1/billing/${what}`,
    owner: "any",
    contract: { tag: "billing", query, answers: { 200: json("In order of time.", schema) } },
    perform: async (call) => jsonAnswer(await read(call.service.engine, call.query)),
  };
}
