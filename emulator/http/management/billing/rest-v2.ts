/** Billing operations of the second version of REST. */
import { z } from "zod";
import { BUCKET_SIZES } from "../../../core/billing/buckets.ts";
import { wholePeriods } from "../../../core/billing/whole-periods.ts";
import { itemisedBill } from "../../../engine/billing/bills.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { instant, json } from "../../schemas/contract.ts";
import { type Bill, billBody, BILLS } from "./rest-v2-bill-bodies.ts";
import { integerParameterV2, readParameters } from "../rest-v2/read-closed.ts";

/** Maximum of `lastN`: more of the smallest periods than have passed. */
const MAX_PERIODS = 1_000_000;

const moment = z.iso.datetime({ offset: true }).optional();

const window = {
  startTime: moment.meta({ description: "Default: 30 days before the end." }),
  endTime: moment.meta({ description: "Default: now." }),
  bucketSize: z.enum(BUCKET_SIZES).default("day"),
  lastN: integerParameterV2(1, MAX_PERIODS)
    .optional()
    .meta({ description: "Number of periods up to the present one, instead of the instants." }),
};

export const BILLING_V2_OPERATIONS = {
  /** `GET /billing`: all costs by period (live). */
  billAllV2: bill("", BILLS.all),
  /** `GET /billing/pods`: costs of each pod by period (live). */
  billPodsV2: bill("/pods", BILLS.pods),
  /** `GET /billing/serverless`: costs of each endpoint's workers by period (live). */
  billServerlessV2: bill("/serverless", BILLS.serverless),
  /** `GET /billing/endpoints`: costs of public endpoints (live); always empty (ours). */
  billPublicEndpointsV2: bill("/endpoints", BILLS.endpoints),
  /** `GET /billing/network-volumes`: costs of each network volume by period (live). */
  billNetworkVolumesV2: bill("/network-volumes", BILLS.networkVolumes),
  /** `GET /billing/clusters`: costs of clusters (live); always empty (ours). */
  billClustersV2: bill("/clusters", BILLS.clusters),
};

function bill(below: string, shown: Bill): Operation {
  const { resource, isAbout } = shown;
  const id = z.string().min(1).optional();
  const parameters = { ...window, ...(resource && { [resource.id]: id }) };
  return {
    methods: ["GET"],
    path: `/v2/billing${below}`,
    owner: "any",
    contract: {
      tag: "billing",
      query: z.object(parameters),
      answers: { 200: json("In order of time.", billSchema(shown)) },
      errors: ["unprocessable", "invalid_request"],
    },
    async perform({ query, service: { engine } }) {
      const period = wholePeriods(readParameters(window, query), engine.clock.now());
      const wanted = resource && readParameters({ [resource.id]: id }, query)[resource.id];
      const items = await itemisedBill(engine, {
        period,
        wants: (usage) =>
          isAbout(usage) && (wanted === undefined || resource?.idOf(usage) === wanted),
        ...(resource && { resourceOf: resource.idOf }),
      });
      return jsonAnswer(billBody(shown, items, period, wanted));
    },
  };
}

function billSchema({ amounts, resource }: Bill): z.ZodType {
  const dollars = z.number().min(0).meta({ description: "US dollars." });
  const times = { startTime: instant(), endTime: instant() };
  const names = ["totalAmount", ...Object.keys(amounts)];
  const sums = Object.fromEntries(names.map((name) => [name, dollars]));
  return z.strictObject({
    records: z.array(
      z.strictObject({ ...times, ...(resource && { [resource.id]: z.string() }), ...sums }),
    ),
    metadata: z.strictObject({
      query: z.strictObject({
        ...times,
        bucketSize: z.enum(BUCKET_SIZES),
        ...(resource && { [resource.id]: z.string().optional() }),
      }),
      recordCount: z.int().min(0),
      ...(resource && { [resource.count]: z.int().min(0) }),
      totals: z.strictObject(sums),
    }),
  });
}
