/** The manifest of a worker's pod. */
import { expect, it } from "vitest";
import type { Endpoint } from "../../../../emulator/core/resources/endpoints/endpoint.ts";
import type { Template } from "../../../../emulator/core/resources/templates/template.ts";
import { readContainerSettings } from "../../../../emulator/launch/container-settings.ts";
import { nodePlace, productNames } from "../../../../emulator/launch/kubernetes/gpu-nodes.ts";
import {
  type PodFrame,
  podManifest,
  secretManifests,
} from "../../../../emulator/launch/kubernetes/pod-manifest.ts";
import { claimName, labelsOf, podName } from "../../../../emulator/launch/kubernetes/pod-names.ts";
import { orderOf, templateNamed } from "../../../contract/launcher/subject.ts";
import { createBody } from "../../../setup/pods-api/create-body.ts";
import { isAsked } from "../../../setup/pods-api/node.ts";

const IMAGE = "registry.example/team/app:1";
const STRICT = new URLSearchParams({ fieldValidation: "Strict" });

function made(template: Partial<Template>, endpoint: Partial<Endpoint> = {}) {
  const order = orderOf({ ...templateNamed(IMAGE), ...template }, endpoint);
  const settings = readContainerSettings(order.template, Number.POSITIVE_INFINITY);
  if (typeof settings === "string") throw new Error(settings);
  const frame: PodFrame = {
    service: "0123456789abcdef",
    owner: { apiVersion: "v1", kind: "ConfigMap", name: "sv-0123456789abcdef", uid: "u" },
    settings,
    places: { serviceAddress: "tls://service:1", workerToken: "a-secret-token", env: {} },
    credentials: { username: "me", password: "word" },
  };
  const pod = podManifest(order, frame);
  const [environment, pull] = secretManifests(order, frame);
  return { pod, environment, pull, container: pod.spec?.containers[0] };
}

function bodyOf(manifest: unknown): Parameters<typeof createBody>[1] {
  return JSON.parse(JSON.stringify(manifest)) as Parameters<typeof createBody>[1];
}

it("has no token, no variable and no password in the pod itself", () => {
  const { pod, environment, pull } = made({ env: { HF_TOKEN: "hf_secret" } });
  expect(JSON.stringify(pod)).not.toMatch(/a-secret-token|hf_secret|word"/u);
  expect(environment?.stringData).toMatchObject({
    SV_WORKER_TOKEN: "a-secret-token",
    SV_SERVICE_ADDRESS: "tls://service:1",
    HF_TOKEN: "hf_secret",
  });
  expect(JSON.parse(pull?.stringData?.[".dockerconfigjson"] ?? "")).toMatchObject({
    auths: { "registry.example": { username: "me", password: "word" } },
  });
});

it("does not end at the end of its standard input, because a pod has none", () => {
  const { environment } = made({});
  expect(environment?.stringData).not.toHaveProperty("SV_EXIT_ON_STDIN_END");
});

it("has minimal privileges, unless its template asks for the privileges of its image", () => {
  const { pod, container } = made({});
  expect(pod.spec).toMatchObject({
    automountServiceAccountToken: false,
    restartPolicy: "Never",
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  const asImage = made({ env: { SV_CONTAINER_PRIVILEGES: "image" }, containerDiskInGb: 20 });
  expect(asImage.pod.spec?.securityContext).toBeUndefined();
  expect(asImage.container?.securityContext).toBeUndefined();
  expect(asImage.container?.resources?.limits).toEqual({ "ephemeral-storage": "20G" });
});

it("is bounded by its template, and by its node if the template has no bounds", () => {
  const { container } = made({ env: { SV_CONTAINER_MEMORY: "4g", SV_CONTAINER_CPUS: "1.5" } });
  expect(container?.resources?.limits).toEqual({ cpu: "1500m", memory: String(4 * 1024 ** 3) });
  expect(made({}).container?.resources?.limits).toEqual({});
});

it("has arguments in which the cluster replaces no variables", () => {
  const { container } = made({ dockerStartCmd: ["sh", "-c", "echo $(whoami) $HOME $$"] });
  expect(container?.args).toEqual(["sh", "-c", "echo $$(whoami) $$HOME $$$$"]);
});

it("mounts the claim of its network volume at the path that handlers use", () => {
  const { pod, container } = made(
    { volumeMountPath: "/data" },
    { networkVolumeIds: ["abc1234567"] },
  );
  expect(pod.spec?.volumes).toContainEqual({
    name: "volume",
    persistentVolumeClaim: { claimName: "sv-volume-abc1234567" },
  });
  const paths = container?.volumeMounts?.filter(({ name }) => name === "volume");
  expect(paths?.map(({ mountPath }) => mountPath)).toEqual(["/runpod-volume", "/data"]);
});

it("asks for GPUs by the device plugin, on nodes that have one of the types, the first before the others", () => {
  const place = nodePlace(
    { computeType: "GPU", gpuCount: 2, gpuTypeIds: ["NVIDIA L4", "NVIDIA  A30"] },
    {},
  );
  expect(place.limits).toEqual({ "nvidia.com/gpu": "2" });
  const nodes = place.affinity?.nodeAffinity;
  const [term] =
    nodes?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchExpressions ??
    [];
  expect(term).toMatchObject({ key: "nvidia.com/gpu.product", operator: "In" });
  expect(term?.values).toEqual(expect.arrayContaining(["NVIDIA-L4", "L4-SHARED", "NVIDIA-A30"]));
  const weights = nodes?.preferredDuringSchedulingIgnoredDuringExecution?.map(
    ({ weight }) => weight,
  );
  expect(weights).toEqual([100, 99]);
  expect(productNames("Tesla T4")).toEqual(["Tesla-T4", "Tesla-T4-SHARED"]);
});

it.each([
  ["11.8", false],
  ["12.3", false],
  ["12.4", true],
  ["12.10", true],
  ["13.0", true],
])("asks for nodes whose driver takes CUDA 12.4 or later: of %s it is %j", (version, fits) => {
  const wanted = {
    computeType: "GPU",
    gpuCount: 1,
    gpuTypeIds: [],
    minCudaVersion: "12.4",
  } as const;
  const { affinity } = nodePlace(wanted, {});
  const [major = "", minor = ""] = version.split(".");
  const labels = { "nvidia.com/cuda.runtime.major": major, "nvidia.com/cuda.runtime.minor": minor };
  expect(isAsked(affinity?.nodeAffinity, labels)).toBe(fits);
  expect(isAsked(affinity?.nodeAffinity, {})).toBe(true);
  const typed = nodePlace({ ...wanted, gpuTypeIds: ["NVIDIA L4"] }, {}).affinity?.nodeAffinity;
  expect(isAsked(typed, labels)).toBe(false);
  expect(isAsked(typed, { ...labels, "nvidia.com/gpu.product": "NVIDIA-L4" })).toBe(fits);
});

it("asks for nodes with a driver for one of the allowed CUDA versions", () => {
  const allowedCudaVersions = ["12.1", "12.4"];
  const wanted = { computeType: "GPU", gpuCount: 1, gpuTypeIds: [], allowedCudaVersions } as const;
  const { affinity } = nodePlace({ ...wanted, minCudaVersion: "12.2" }, {});
  const fits = (minor: string) =>
    isAsked(affinity?.nodeAffinity, {
      "nvidia.com/cuda.runtime.major": "12",
      "nvidia.com/cuda.runtime.minor": minor,
    });
  expect(["1", "2", "4", "5"].map(fits)).toEqual([false, false, true, false]);
});

it("takes node labels and a resource name from the template instead of GPU types", () => {
  const env = {
    SV_CONTAINER_NODES: "gpu=l4, zone=a",
    SV_CONTAINER_GPU_RESOURCE: "example.com/gpu",
  };
  const wanted = { computeType: "GPU", gpuCount: 1, gpuTypeIds: ["NVIDIA L4"] } as const;
  expect(nodePlace(wanted, env)).toMatchObject({
    limits: { "example.com/gpu": "1" },
    nodeSelector: { gpu: "l4", zone: "a" },
  });
  expect(nodePlace(wanted, env).affinity).toBeUndefined();
});

it.each([
  ["a-very-long-name-of-an-endpoint-that-somebody-has-thought-up-in-a-long-night-of-work"],
  ["Übersetzen_v2"],
  ["-.-"],
])("is named and labelled as a cluster takes it, whatever its endpoint %j is called", (id) => {
  const { pod, environment, pull } = made({}, { id, type: "LOAD_BALANCING" });
  for (const [kind, body] of [
    ["pods", pod],
    ["secrets", environment],
    ["secrets", pull],
  ] as const)
    expect(() => createBody(kind, bodyOf(body), STRICT)).not.toThrow();
});

it("has names that differ from the pods of another endpoint", () => {
  const named = (id: string) =>
    podName({ ...orderOf(templateNamed(IMAGE), { id }), workerId: "w" });
  expect(named("Up")).not.toBe(named("up"));
  expect(claimName("Models")).not.toBe(claimName("models"));
  const long = orderOf(templateNamed(IMAGE), { id: "x".repeat(80) });
  expect(labelsOf(long, "s")["sv-runtime/endpoint"]).toHaveLength(8);
});

it("names a variable that no pod can have", () => {
  expect(() => made({ env: { "1st": "x" } })).toThrow('the variable "1st" of the template');
});
