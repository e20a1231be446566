/** Templates, endpoints and network volumes in both versions of REST: created, read and deleted. */
import { type TestHttp, made } from "../../http-harness.ts";
import { restDriver, type Thing } from "../crud/drivers.ts";

export type Version = "v1" | "v2";

export type Kind = "template" | "endpoint" | "volume" | "pod";

export type { Thing };

/** One kind of resource in one version. */
export interface Way {
  create(service: TestHttp, body: object): Promise<string>;
  read(service: TestHttp, id: string): Promise<Thing>;
  remove(service: TestHttp, id: string): Promise<void>;
  /** Body of an equal one. */
  inputOf(shown: Thing): object;
  /** Without the fields that belong to one version alone. */
  compared(shown: Thing): Thing;
}

export function at(path: string): Pick<Way, "create" | "read" | "remove"> {
  const driver = (service: TestHttp) => restDriver(service, { path });
  return {
    create: async (service, body) => (await driver(service).create({ ...body })).id,
    read: (service, id) => driver(service).read(id),
    remove: (service, id) => driver(service).remove(id),
  };
}

export function without(...fields: readonly string[]) {
  return (thing: Thing): Thing =>
    Object.fromEntries(Object.entries(thing).filter(([field]) => !fields.includes(field)));
}

const CONTAINER = [
  ...["imageName", "containerDiskInGb", "containerRegistryAuthId", "dockerEntrypoint"],
  ...["dockerStartCmd", "env", "ports"],
];

/** A template and an endpoint of it. */
const endpointV1: Way = {
  async create(service, { container, ...endpoint }: { readonly container?: object }) {
    const template = { ...container, name: "of an endpoint", isServerless: true };
    const templateId = await made(service, "/v1/templates", template);
    return made(service, "/v1/endpoints", { ...endpoint, templateId });
  },
  read: (service, id) => at("/v1/endpoints").read(service, `${id}?includeTemplate=true`),
  async remove(service, id) {
    const { templateId } = await endpointV1.read(service, id);
    await at("/v1/endpoints").remove(service, id);
    await at("/v1/templates").remove(service, String(templateId));
  },
  inputOf({ template, ...shown }) {
    const container = picked(template as Thing);
    const own = without("id", "templateId", "env", "userId", "version", "createdAt", "instanceIds");
    return { ...own(shown), container };
  },
  compared({ template, ...shown }) {
    const { allowedCudaVersions = [], flashboot = false, ...rest } = shown;
    const own = without("id", "templateId", "version", "createdAt");
    return { ...own(rest), allowedCudaVersions, flashboot, ...picked(template as Thing) };
  },
};

function picked(template: Thing): Thing {
  return Object.fromEntries(
    Object.entries(template).filter(([field]) => CONTAINER.includes(field)),
  );
}

export const VERSIONS: Readonly<Record<Version, Readonly<Record<Exclude<Kind, "pod">, Way>>>> = {
  v1: {
    template: {
      ...at("/v1/templates"),
      inputOf: without("id", "isPlatform", "earned", "runtimeInMin"),
      compared: without("id"),
    },
    endpoint: endpointV1,
    volume: { ...at("/v1/networkvolumes"), inputOf: without("id"), compared: without("id") },
  },
  v2: {
    template: { ...at("/live/v2/templates"), inputOf: without("id"), compared: without("id") },
    endpoint: {
      ...at("/live/v2/serverless"),
      inputOf({ gpu, cpu, ...shown }) {
        const own = without("id", "createdAt", "requestUrls");
        return { ...own(shown), ...gpuInput(gpu), ...cpuInput(cpu) };
      },
      compared: ({ gpu, ...shown }) => ({
        ...without("id", "createdAt", "requestUrls")(shown),
        ...(gpu !== undefined && { gpu: sorted(gpu as Thing) }),
      }),
    },
    volume: {
      ...at("/live/v2/network-volumes"),
      inputOf: without("id"),
      compared: without("id"),
    },
  },
};

/** The order of excluded types has no meaning. */
function sorted(gpu: Thing): Thing {
  return { ...gpu, excludedTypes: (gpu["excludedTypes"] as string[]).toSorted() };
}

function gpuInput(gpu: unknown) {
  if (gpu === undefined) return {};
  const { minCudaVersion, ...rest } = gpu as Thing;
  return { gpu: { ...rest, ...(minCudaVersion !== null && { minCudaVersion }) } };
}

function cpuInput(cpu: unknown) {
  if (cpu === undefined) return {};
  return { cpu: (cpu as Thing[]).map(({ id, vcpuCount }) => ({ id, vcpuCount })) };
}
