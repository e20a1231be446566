/** Pods in all dialects; GraphQL cannot change them. */
import { CONTAINER_FIELDS } from "../../../../../emulator/core/resources/templates/template-fields.ts";
import {
  type Form,
  graphqlDriver,
  graphqlForm,
  PROGRAM,
  restDriver,
  type Thing,
  v2Form,
} from "./drivers.ts";
import { beyondBounds, type Noun, UNKNOWN_REGISTRY, unknownKey } from "./nouns.ts";
import { MOUNTS } from "./templates.ts";

function gpuOf(shown: Thing): Thing {
  const { id, count } = (shown["gpu"] ?? {}) as Thing;
  return { gpuTypeIds: [id], gpuCount: count };
}

const V1: Form = {
  write: (fields) => fields,
  read: ({ image: imageName, ...shown }) => ({ ...shown, imageName, ...gpuOf(shown) }),
};

const V2: Form = {
  write({ gpuTypeIds, gpuCount: count, ...fields }) {
    const [id] = (gpuTypeIds ?? []) as string[];
    return MOUNTS.write({ ...fields, ...((id ?? count) !== undefined && { gpu: { id, count } }) });
  },
  read: ({ name, locked, ...shown }) => ({ name, locked, ...MOUNTS.read(shown), ...gpuOf(shown) }),
};

const SELECTED = `id name imageName containerDiskInGb dockerArgs env ports gpuCount volumeInGb volumeMountPath
  machine { gpuDisplayName }`;

const GRAPHQL: Form = {
  write: ({ gpuTypeIds, ...fields }) => PROGRAM.write({ ...fields, gpuTypeId: String(gpuTypeIds) }),
  read({ dockerArgs, env, ...shown }) {
    const pairs = (env as string[]).map((line) => line.split("=", 2));
    const { gpuDisplayName } = shown["machine"] as Thing;
    return {
      ...{ ...shown, ...PROGRAM.read({ dockerArgs }), env: Object.fromEntries(pairs) as Thing },
      gpuTypeIds: [gpuDisplayName],
    };
  },
};

const { env: _, ...CONTAINER } = CONTAINER_FIELDS;

export const PODS: Noun = {
  noun: "a pod",
  drivers: (service) => ({
    v1: restDriver(service, { path: "/v1/pods", form: V1 }),
    v2: restDriver(service, {
      ...{ path: "/live/v2/pods", listed: "pods", form: v2Form(CONTAINER_FIELDS, V2) },
    }),
    graphql: graphqlDriver(service, {
      save: `mutation ($input: PodFindAndDeployOnDemandInput!) {
        podFindAndDeployOnDemand(input: $input) { ${SELECTED} } }`,
      read: `query ($id: String!) { pod(input: {podId: $id}) { ${SELECTED} } }`,
      list: "{ myself { pods { id name } } }",
      remove: "mutation ($id: String!) { podTerminate(input: {podId: $id}) }",
      form: {
        write: (fields) => graphqlForm(CONTAINER_FIELDS, GRAPHQL).write(fields),
        read: (shown) => graphqlForm(CONTAINER, GRAPHQL).read(shown),
      },
    }),
  }),
  least: { imageName: "team/box:1", gpuTypeIds: ["NVIDIA L4"], gpuCount: 1 },
  full: () => ({
    ...{ imageName: "team/box:2", gpuTypeIds: ["NVIDIA L4"], gpuCount: 2, containerDiskInGb: 15 },
    ...{ volumeInGb: 40, volumeMountPath: "/data", ports: ["8888/http", "22/tcp"] },
    ...{ dockerEntrypoint: ["/bin/sh"], dockerStartCmd: ["-c", "my run"], env: { A: "b" } },
  }),
  changed: {
    ...{ imageName: "team/box:3", containerDiskInGb: 16, volumeInGb: 50, volumeMountPath: "/b" },
    ...{
      ports: ["22/tcp"],
      dockerEntrypoint: ["/bin/bash"],
      dockerStartCmd: ["x"],
      env: { C: "d" },
    },
  },
  emptied: { dockerEntrypoint: [], dockerStartCmd: [], env: {}, ports: [] },
  ofTemplate: [
    { imageName: "a/b:1", env: { A: "1" }, volumeInGb: 30, ports: ["80/http"] },
    { imageName: undefined, containerDiskInGb: 9 },
  ],
  unchangedIn: "graphql",
  unknown: {
    v1: '404 pod_not_found there is no pod "none"',
    v2: '404 there is no pod "none"',
    graphql: 'there is no pod "none"',
  },
  refused: [
    ...beyondBounds(CONTAINER_FIELDS),
    [{ imageName: undefined }, "imageName is required", "400 image is required"],
    [{ imageName: "" }, "imageName must be", "422 $.image: must be", "imageName is required"],
    [{ gpuTypeIds: ["L4"] }, "gpuTypeIds.0 must be", "400 gpu.id must be", "gpuTypeId.0 must be"],
    [{ gpuCount: 0 }, "gpuCount must be", "422 $.gpu.count: minimum: got 0, want 1"],
    [{ gpuCount: "2" }, "gpuCount must be", "422 $.gpu.count: got string", "Int cannot"],
    [{ templateId: "none" }, 'templateId names no template: "none"', "404 template not found"],
    [{ templateId: "echo" }, "templateId names the template", "422 templateId names a template"],
    UNKNOWN_REGISTRY,
    [{ networkVolumeId: "none" }, "networkVolumeId names no", null, "networkVolumeId names no"],
    unknownKey("gpuTypeID", "gpuTypeIds"),
  ],
  refusedChanges: [
    [{ gpuCount: 2 }, "gpuCount is set at creation", "422 $: additional properties 'gpu'"],
    UNKNOWN_REGISTRY,
  ],
};
