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

it("a pod has no token, variable and password in its own manifest", () => {
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

it("a pod does not end at the end of its standard input, because it has none", () => {
  const { environment } = made({});
  expect(environment?.stringData).not.toHaveProperty("SV_EXIT_ON_STDIN_END");
});

it("a pod has minimal privileges, unless its template requests those of its image", () => {
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

it("a pod is bounded by its template, or by its node if the template has no bounds", () => {
  const { container } = made({ env: { SV_CONTAINER_MEMORY: "4g", SV_CONTAINER_CPUS: "1.5" } });
  expect(container?.resources?.limits).toEqual({ cpu: "1500m", memory: String(4 * 1024 ** 3) });
  expect(made({}).container?.resources?.limits).toEqual({});
});

it("a pod has arguments in which the cluster replaces no variables", () => {
  const { container } = made({ dockerStartCmd: ["sh", "-c", "echo $(whoami) $HOME $$"] });
  expect(container?.args).toEqual(["sh", "-c", "echo $$(whoami) $$HOME $$$$"]);
});

it("a pod mounts the claim of its network volume at the path that handlers use", () => {
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

it("a pod requests GPUs by the device plugin, on nodes with one of the types, the first before the others", () => {
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
])(
  "a pod requests nodes with a driver for CUDA 12.4 or later: with %s it is %j",
  (version, fits) => {
    const wanted = {
      computeType: "GPU",
      gpuCount: 1,
      gpuTypeIds: [],
      minCudaVersion: "12.4",
    } as const;
    const { affinity } = nodePlace(wanted, {});
    const [major = "", minor = ""] = version.split(".");
    const labels = {
      "nvidia.com/cuda.runtime.major": major,
      "nvidia.com/cuda.runtime.minor": minor,
    };
    expect(isAsked(affinity?.nodeAffinity, labels)).toBe(fits);
    expect(isAsked(affinity?.nodeAffinity, {})).toBe(true);
    const typed = nodePlace({ ...wanted, gpuTypeIds: ["NVIDIA L4"] }, {}).affinity?.nodeAffinity;
    expect(isAsked(typed, labels)).toBe(false);
    expect(isAsked(typed, { ...labels, "nvidia.com/gpu.product": "NVIDIA-L4" })).toBe(fits);
  },
);

it("a pod requests nodes with a driver for one of the allowed CUDA versions", () => {
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

it("a pod takes node labels and a resource name from the template instead of GPU types", () => {
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
])("a pod has a valid name and valid labels, whatever its endpoint %j is named", (id) => {
  const { pod, environment, pull } = made({}, { id, type: "LOAD_BALANCING" });
  for (const [kind, body] of [
    ["pods", pod],
    ["secrets", environment],
    ["secrets", pull],
  ] as const)
    expect(() => createBody(kind, bodyOf(body), STRICT)).not.toThrow();
});

it("a pod has names that differ from those of another endpoint's pods", () => {
  const named = (id: string) =>
    podName({ ...orderOf(templateNamed(IMAGE), { id }), workerId: "w" });
  expect(named("Up")).not.toBe(named("up"));
  expect(claimName("Models")).not.toBe(claimName("models"));
  const long = orderOf(templateNamed(IMAGE), { id: "x".repeat(80) });
  expect(labelsOf(long, "s")["sv-runtime/endpoint"]).toHaveLength(8);
});

it("the refusal names a variable that no pod can have", () => {
  expect(() => made({ env: { "1st": "x" } })).toThrow('the variable "1st" of the template');
});
