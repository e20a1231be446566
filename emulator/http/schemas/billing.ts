/** Schemas of bills in the management interface, and of their queries. */
import { z } from "zod";
import {
  ENDPOINT_BILLING_QUERY,
  POD_BILLING_QUERY,
  VOLUME_BILLING_QUERY,
} from "../../core/billing/billing-query.ts";
import { answered, instant } from "./contract.ts";

export const endpointBillingQuery = z.object(ENDPOINT_BILLING_QUERY);
export const podBillingQuery = z.object(POD_BILLING_QUERY);
export const volumeBillingQuery = z.object(VOLUME_BILLING_QUERY);

export const billingRecordsSchema = z.array(
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

export const volumeBillingRecordsSchema = z.array(
  answered("NetworkVolumeBillingRecord", {
    amount: z.number().min(0).meta({ description: "US dollars." }),
    time: instant(),
    diskSpaceBilledGb: z.int().min(0),
    highPerformanceStorageAmount: z.number().min(0),
    highPerformanceStorageDiskSpaceBilledGb: z.int().min(0),
  }),
);
