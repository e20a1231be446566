/** A pod over the template of the cluster's owner. */
import type { V1Pod } from "@kubernetes/client-node";
import fc from "fast-check";
import { expect, it } from "vitest";
import { overTemplate } from "../../../../emulator/launch/kubernetes/pod-template.ts";

const POD = {
  metadata: { name: "sv-a", labels: { "sv-runtime/worker": "w" } },
  spec: {
    restartPolicy: "Never",
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
    containers: [
      {
        name: "worker",
        image: "app:1",
        args: ["serve"],
        resources: { limits: { "nvidia.com/gpu": "1" } },
        volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
      },
    ],
    volumes: [{ name: "shm", emptyDir: {} }],
  },
} satisfies V1Pod;

it("adds what the pod does not say, and entries to its lists", () => {
  const pod = overTemplate(POD, {
    metadata: { labels: { team: "inference" }, annotations: { "cluster/safe-to-evict": "false" } },
    spec: {
      runtimeClassName: "nvidia",
      priorityClassName: "gpu",
      tolerations: [{ key: "spot", operator: "Exists" }],
      volumes: [{ name: "cache", hostPath: { path: "/cache" } }],
      containers: [
        {
          imagePullPolicy: "Always",
          resources: { requests: { cpu: "4", memory: "16Gi" } },
          volumeMounts: [{ name: "cache", mountPath: "/cache" }],
        },
      ],
    },
  });
  expect(pod).toEqual({
    metadata: {
      name: "sv-a",
      labels: { "sv-runtime/worker": "w", team: "inference" },
      annotations: { "cluster/safe-to-evict": "false" },
    },
    spec: {
      restartPolicy: "Never",
      runtimeClassName: "nvidia",
      priorityClassName: "gpu",
      tolerations: [
        { key: "nvidia.com/gpu", operator: "Exists" },
        { key: "spot", operator: "Exists" },
      ],
      containers: [
        {
          name: "worker",
          image: "app:1",
          args: ["serve"],
          imagePullPolicy: "Always",
          resources: {
            limits: { "nvidia.com/gpu": "1" },
            requests: { cpu: "4", memory: "16Gi" },
          },
          volumeMounts: [
            { name: "shm", mountPath: "/dev/shm" },
            { name: "cache", mountPath: "/cache" },
          ],
        },
      ],
      volumes: [
        { name: "shm", emptyDir: {} },
        { name: "cache", hostPath: { path: "/cache" } },
      ],
    },
  });
});

it("requests a little of what has neither a limit nor a request, so that the pod is not the first to be evicted", () => {
  const requestsWith = (resources: object) =>
    overTemplate(POD, { spec: { containers: [{ resources }] } }).spec?.containers[0]?.resources
      ?.requests;
  expect(requestsWith({})).toEqual({ cpu: "100m", memory: "256Mi" });
  expect(requestsWith({ limits: { memory: "64Mi" } })).toEqual({ cpu: "100m" });
  expect(requestsWith({ requests: { cpu: "2" } })).toEqual({ cpu: "2", memory: "256Mi" });
  expect(requestsWith({ limits: { cpu: "1", memory: "1Gi" } })).toBeUndefined();
});

it("wants nodes that both the pod and the template accept", () => {
  const nodes = (...keys: readonly string[]) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: keys.map((key) => ({
          matchExpressions: [{ key, operator: "Exists" }],
        })),
      },
    },
  });
  const own = { ...POD, spec: { ...POD.spec, affinity: nodes("l4", "l40") } };
  const { spec } = overTemplate(own, { spec: { affinity: nodes("zone-a", "zone-b") } });
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  expect(terms?.map(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key))).toEqual(
    [
      ["l4", "zone-a"],
      ["l4", "zone-b"],
      ["l40", "zone-a"],
      ["l40", "zone-b"],
    ],
  );
});

/** Paths and values of all that is not an object or a list. */
function leaves(value: unknown, at = ""): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null) return [[at, value]];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, `${at}/${key}`));
}

it("keeps every value of the pod at its place, whatever the template says", () => {
  const names = fc.constantFrom(
    ...["metadata", "name", "labels", "spec", "containers", "image", "args", "restartPolicy"],
    ...["volumes", "resources", "limits", "sv-runtime/worker", "tolerations", "key"],
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(
      names,
      fc.oneof(
        { maxDepth: 4, depthIdentifier: "tree" },
        fc.string(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 2, depthIdentifier: "tree" }),
        tie("tree"),
      ),
      { maxKeys: 4, depthIdentifier: "tree" },
    ),
  }));
  fc.assert(
    fc.property(tree, (template) => {
      const merged = new Map(leaves(overTemplate(POD, template)));
      for (const [at, value] of leaves(POD)) expect(merged.get(at)).toBe(value);
    }),
    { numRuns: 500 },
  );
});
