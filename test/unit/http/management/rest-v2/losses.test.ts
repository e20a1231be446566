/**
 * Both versions of REST show the same resources. A resource that is read in the other version, written again there and read
 * back here is unchanged, except for the fields in a table in docs/live-clients.md.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ENDPOINT_CPU_FLAVORS } from "../../../../../emulator/core/catalog/cpu-flavors.ts";
import { sized } from "../../../../setup/size.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { anyEndpoint, anyTemplate, anyVolume, type Given } from "./any-thing.ts";
import { type Kind, type Thing, VERSIONS, type Version } from "./both-versions.ts";
import { anyPod, podV1, podV2 } from "../pods/pod-ways.ts";

/** An exception of the table, under the first cell of its row. */
interface Exception {
  /** `container`: all kinds except volumes. */
  readonly of: Kind | "container";
  readonly writtenIn: Version;
  readonly without: (thing: Thing) => Thing;
}

const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "`readme` of a template": { of: "template", writtenIn: "v1", without: dropping("readme") },
  "`volumeMountPath` of a template without a volume": {
    of: "template",
    writtenIn: "v1",
    without: (thing) => (thing["volumeInGb"] === 0 ? dropping("volumeMountPath")(thing) : thing),
  },
  "`retries` and `requestsPerWorker` of an endpoint": {
    of: "endpoint",
    writtenIn: "v1",
    without: dropping("retries", "requestsPerWorker"),
  },
  "the order of GPU types": {
    of: "endpoint",
    writtenIn: "v1",
    without: (thing) => ({ ...thing, gpuTypeIds: (thing["gpuTypeIds"] as string[]).toSorted() }),
  },
  "processors of a GPU endpoint, and GPUs of a CPU endpoint": {
    of: "endpoint",
    writtenIn: "v1",
    without: (thing) =>
      thing["computeType"] === "GPU"
        ? dropping("cpuFlavorIds", "vcpuCount")(thing)
        : dropping("gpuTypeIds", "gpuCount", "allowedCudaVersions", "minCudaVersion")(thing),
  },
  "the absence of flavors or of the number of processors": {
    of: "endpoint",
    writtenIn: "v1",
    without: ({ cpuFlavorIds = [], vcpuCount = 2, ...thing }) => ({
      ...dropping("instanceIds")(thing),
      cpuFlavorIds: isDeepStrictEqual(cpuFlavorIds, ENDPOINT_CPU_FLAVORS) ? [] : cpuFlavorIds,
      vcpuCount,
    }),
  },
  "`idleTimeout` of a queue that scales by the number of requests": {
    of: "endpoint",
    writtenIn: "v1",
    without: (thing) =>
      thing["type"] === "QUEUE" && thing["scalerType"] === "REQUEST_COUNT"
        ? dropping("idleTimeout")(thing)
        : thing,
  },
  "whether a volume is in `networkVolumeId` or in `networkVolumeIds`": {
    of: "endpoint",
    writtenIn: "v1",
    without: ({ networkVolumeId, networkVolumeIds, ...thing }) => ({
      ...thing,
      volumes: [...new Set([networkVolumeId ?? [], networkVolumeIds ?? []].flat())],
    }),
  },
  "`startSsh`, `startJupyter` and `allowedCudaVersions` of a template": {
    of: "template",
    writtenIn: "v2",
    without: dropping("startSsh", "startJupyter", "allowedCudaVersions"),
  },
  "how `args` is written": { of: "container", writtenIn: "v2", without: dropping("args") },
  "a fraction in `queueDelay`": {
    of: "endpoint",
    writtenIn: "v2",
    without: (thing) => {
      const scaling = thing["scaling"] as { readonly queueDelay?: number };
      const { queueDelay } = scaling;
      if (queueDelay === undefined) return thing;
      return { ...thing, scaling: { ...scaling, queueDelay: Math.ceil(queueDelay) } };
    },
  },
  "`timeout: 0`": {
    of: "endpoint",
    writtenIn: "v2",
    without: (thing) => ({ ...thing, timeout: thing["timeout"] || 604_800_000 }),
  },
  "`interruptible` of a pod": { of: "pod", writtenIn: "v1", without: dropping("interruptible") },
  "`vcpuCount` of a pod with GPUs": {
    of: "pod",
    writtenIn: "v1",
    without: ({ machine, ...thing }) =>
      thing["gpu"] === undefined
        ? { ...thing, machine }
        : {
            ...dropping("vcpuCount", "memoryInGb")(thing),
            machine: dropping("cpuCount")(machine as Thing),
          },
  },
  "`volumeMountPath` of a pod without a volume, and `volumeInGb` beside a network volume": {
    of: "pod",
    writtenIn: "v1",
    without: (thing) => {
      if (thing["networkVolume"] !== undefined) return dropping("volumeInGb")(thing);
      return thing["volumeInGb"] === 0 ? dropping("volumeMountPath")(thing) : thing;
    },
  },
  "`globalNetworking` of a pod": {
    of: "pod",
    writtenIn: "v2",
    without: dropping("globalNetworking"),
  },
  "`type` of a network volume": { of: "volume", writtenIn: "v2", without: dropping("type") },
};

function dropping(...fields: readonly string[]): Exception["without"] {
  return (thing) =>
    Object.fromEntries(Object.entries(thing).filter(([field]) => !fields.includes(field)));
}

const RUNS = sized(30, 500);
const ANY = { template: anyTemplate, endpoint: anyEndpoint, volume: anyVolume, pod: anyPod };
const WAYS = { v1: { ...VERSIONS.v1, pod: podV1 }, v2: { ...VERSIONS.v2, pod: podV2 } };
const OTHER = { v1: "v2", v2: "v1" } as const;

test("the exceptions are exactly the ones in the table of the docs", () => {
  const docs = readFileSync("docs/live-clients.md", "utf8");
  const [, section = ""] = docs.split("### What is lost between them", 2);
  const [table = ""] = section.split("\n#", 1);
  const rows = [...table.matchAll(/^\| ([^|]+?) +\|/gmu)].map(([, cell = ""]) => cell).slice(2);
  expect(rows.filter((row) => !row.includes("PRIORITY_FLASHBOOT")).toSorted()).toEqual(
    Object.keys(EXCEPTIONS).toSorted(),
  );
});

test.each([
  ["template", "v1"],
  ["template", "v2"],
  ["endpoint", "v1"],
  ["endpoint", "v2"],
  ["volume", "v1"],
  ["volume", "v2"],
  ["pod", "v1"],
  ["pod", "v2"],
] as const)(
  "each %s that is written in %s loses nothing else when the other version reads and writes it",
  async (kind, version) => {
    await using service = await startTestHttp();
    const given = await whatThingsName(service);
    const any = ANY[kind][version](given);
    const isMeant = (of: Exception["of"]) =>
      of === kind || (of === "container" && kind !== "volume");
    const exceptions = Object.entries(EXCEPTIONS).filter(
      ([, { of, writtenIn }]) => isMeant(of) && writtenIn === version,
    );
    const needed = new Set<string>();
    const property = fc.asyncProperty(any, async (body) => {
      const [before, after] = await thereAndBack(service, kind, version, body);
      const left = (thing: Thing, but?: string) =>
        exceptions
          .filter(([name]) => name !== but)
          .reduce((rest, [, { without }]) => without(rest), thing);
      expect(left(after)).toEqual(left(before));
      for (const [name] of exceptions)
        if (!isDeepStrictEqual(left(before, name), left(after, name))) needed.add(name);
    });
    await fc.assert(property, { numRuns: RUNS, seed: 1 });
    expect([...needed].toSorted()).toEqual(exceptions.map(([name]) => name).toSorted());
  },
);

/** The resource before, and its copy that the other version has read and created. */
async function thereAndBack(
  service: TestHttp,
  kind: Kind,
  version: Version,
  body: object,
): Promise<readonly [Thing, Thing]> {
  const [here, there] = [WAYS[version][kind], WAYS[OTHER[version]][kind]];
  const id = await here.create(service, body);
  const before = await here.read(service, id);
  const read = await there.read(service, id);
  await here.remove(service, id);
  const again = await there.create(service, there.inputOf(read));
  const after = await here.read(service, again);
  await there.remove(service, again);
  return [here.compared(before), here.compared(after)];
}

async function whatThingsName(service: TestHttp): Promise<Given> {
  const made = async (path: string, body: object) => {
    const { status, json } = await service.call("POST", path, { body });
    expect(status).toBe(200);
    return (json as { readonly id: string }).id;
  };
  const volume = (name: string) =>
    made("/v1/networkvolumes", { name, size: 10, dataCenterId: "EU-RO-1" });
  return {
    volumeIds: [await volume("a"), await volume("b")],
    registryId: await made("/v1/containerregistryauth", {
      name: "r",
      username: "u",
      password: "p",
    }),
  };
}
