/** Bills in the second version of REST: their amounts, and the items that each amount sums up. Pure. */
import { iso } from "../../../core/time/iso.ts";
import {
  type BillAmounts,
  type BillItem,
  type BillPart,
  sumOf,
  totalOf,
} from "../../../core/billing/itemised-bill.ts";
import type { Period } from "../../../core/billing/slices.ts";
import type { Usage } from "../../../core/billing/usage.ts";

export interface Bill {
  /** Amounts beside `totalAmount`, each with the item that it shows; undefined: the amount is always 0 here (ours). */
  readonly amounts: Readonly<Record<string, BillPart | undefined>>;
  readonly isAbout: (usage: Usage) => boolean;
  /** Resources that records are grouped by; absent: one record per period. */
  readonly resource?: BilledResource;
}

export interface BilledResource {
  /** Key of the resource's id in records, and the parameter that selects one resource. */
  readonly id: string;
  /** Key of the number of resources. */
  readonly count: string;
  readonly idOf: (usage: Usage) => string;
}

const POD_AMOUNTS = { gpuAmount: "podGpu", cpuAmount: "podCpu", diskAmount: undefined } as const;

export const BILLS = {
  all: {
    amounts: {
      podGpuAmount: "podGpu",
      podCpuAmount: "podCpu",
      podDiskAmount: undefined,
      serverlessGpuAmount: "serverlessGpu",
      serverlessCpuAmount: "serverlessCpu",
      serverlessDiskAmount: undefined,
      serverlessFeeAmount: undefined,
      storageStandardAmount: "storageStandard",
      storageHighPerformanceAmount: "storageHighPerformance",
      endpointAmount: undefined,
      clusterGpuAmount: undefined,
      clusterDiskAmount: undefined,
      clusterNetworkingAmount: undefined,
    },
    isAbout: () => true,
  },
  pods: {
    amounts: POD_AMOUNTS,
    isAbout: ({ kind }) => kind === "pod",
    resource: {
      id: "podId",
      count: "uniquePodCount",
      idOf: (usage) => (usage.kind === "pod" ? usage.podId : ""),
    },
  },
  serverless: {
    amounts: {
      gpuAmount: "serverlessGpu",
      cpuAmount: "serverlessCpu",
      diskAmount: undefined,
      feeAmount: undefined,
    },
    isAbout: ({ kind }) => kind === "worker",
    resource: {
      id: "serverlessId",
      count: "uniqueServerlessCount",
      idOf: (usage) => (usage.kind === "worker" ? (usage.endpointId ?? "") : ""),
    },
  },
  endpoints: { amounts: {}, isAbout: () => false },
  networkVolumes: {
    amounts: { standardAmount: "storageStandard", highPerformanceAmount: "storageHighPerformance" },
    isAbout: ({ kind }) => kind === "volume",
    resource: {
      id: "networkVolumeId",
      count: "uniqueNetworkVolumeCount",
      idOf: (usage) => (usage.kind === "volume" ? usage.volumeId : ""),
    },
  },
  clusters: {
    amounts: { gpuAmount: undefined, diskAmount: undefined, networkingAmount: undefined },
    isAbout: () => false,
    resource: { id: "clusterId", count: "uniqueClusterCount", idOf: () => "" },
  },
} satisfies Readonly<Record<string, Bill>>;

/** @param wanted id of the selected resource, if any */
export function billBody(
  { amounts, resource }: Bill,
  items: readonly BillItem[],
  period: Period,
  wanted: string | undefined,
) {
  const shown = (parts: BillAmounts) => ({
    totalAmount: sumOf(parts),
    ...Object.fromEntries(
      Object.entries(amounts).map(([name, part]) => [name, (part && parts[part]) ?? 0]),
    ),
  });
  return {
    records: items.map(({ resourceId, startAt, endAt, amounts: parts }) => ({
      ...timesOf({ startAt, endAt }),
      ...(resource && { [resource.id]: resourceId }),
      ...shown(parts),
    })),
    metadata: {
      query: {
        ...timesOf(period),
        bucketSize: period.bucketSize,
        ...(resource && wanted !== undefined && { [resource.id]: wanted }),
      },
      recordCount: items.length,
      ...(resource && { [resource.count]: new Set(items.map((item) => item.resourceId)).size }),
      totals: shown(totalOf(items)),
    },
  };
}

function timesOf({ startAt, endAt }: Pick<Period, "startAt" | "endAt">) {
  return { startTime: iso(startAt), endTime: iso(endAt) };
}
