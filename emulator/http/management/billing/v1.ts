/** Billing operations of the first version of the management interface. */
import { z } from "zod";
import {
  ENDPOINT_BILLING_QUERY,
  POD_BILLING_QUERY,
  readEndpointBillingQuery,
  readPodBillingQuery,
  readVolumeBillingQuery,
  VOLUME_BILLING_QUERY,
} from "../../../core/billing/billing-query.ts";
import type { QueryParameters } from "../../../core/input/query-parameters.ts";
import type { TimePort } from "../../../engine/time/time-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import { machineBill, volumeBill } from "../../../engine/billing/bills.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { answered, instant, json } from "../../schemas/contract.ts";

/** Schemas of bills in the management interface, and of their queries. */
const endpointBillingQuery = z.object(ENDPOINT_BILLING_QUERY);
const podBillingQuery = z.object(POD_BILLING_QUERY);
const volumeBillingQuery = z.object(VOLUME_BILLING_QUERY);

const billingRecordsSchema = z.array(
  answered("BillingRecord", {
    amount: z.number().min(0).meta({ description: "US dollars." }),
    time: instant(),
    timeBilledMs: z.int().min(0),
    diskSpaceBilledGb: z.int().min(0),
    endpointId: z.string().optional(),
    podId: z.string().optional(),
    gpuTypeId: z.string().optional(),
  }),
);

const volumeBillingRecordsSchema = z.array(
  answered("NetworkVolumeBillingRecord", {
    amount: z.number().min(0).meta({ description: "US dollars." }),
    time: instant(),
    diskSpaceBilledGb: z.int().min(0),
    highPerformanceStorageAmount: z.number().min(0),
    highPerformanceStorageDiskSpaceBilledGb: z.int().min(0),
  }),
);

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
