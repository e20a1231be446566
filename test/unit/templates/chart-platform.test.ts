/** What the teams of a platform ask of a chart: their labels, accounts, privileges and network policies. */
import type {
  V1Ingress,
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1RoleBinding,
  V1ServiceAccount,
  V1StatefulSet,
} from "@kubernetes/client-node";
import { beforeAll, describe, expect, test } from "vitest";
import { prepareClients, whatIsMissingOfClients } from "../../setup/kubernetes/client-programs.ts";
import { RELEASE, render, type Rendered } from "./chart.ts";
import { problemsOf } from "./chart-problems.ts";
import { LEAST, MOST } from "./chart-values.ts";

const isMissing = await whatIsMissingOfClients("tests of the chart");

/** The peers of all rules, as the chart writes them; the library calls the field `_from`. */
function peersIn({ all }: Rendered): readonly V1NetworkPolicyPeer[] {
  const rules = all<V1NetworkPolicy>("NetworkPolicy").flatMap(({ spec }) => spec?.ingress ?? []);
  return (rules as readonly { readonly from?: V1NetworkPolicyPeer[] }[]).flatMap(
    ({ from = [] }) => from,
  );
}

describe.skipIf(isMissing !== undefined)("the chart for a platform", () => {
  beforeAll(prepareClients, 300_000);

  test("with policies only the replicas reach the pods of workers, in any namespace", async () => {
    const workersIn = async (namespace: string) => {
      const rendered = await render({ ...MOST, kubernetes: { namespace } });
      const policies = rendered.all<V1NetworkPolicy>("NetworkPolicy");
      return policies.find(({ metadata }) => metadata.namespace === namespace)?.spec?.ingress;
    };
    const matchLabels = {
      "app.kubernetes.io/name": "sv-runtime",
      "app.kubernetes.io/instance": "sv",
    };
    const own = { "kubernetes.io/metadata.name": RELEASE.namespace };
    const podSelector = { matchLabels };
    expect(await workersIn("gpu")).toEqual([
      { from: [{ podSelector, namespaceSelector: { matchLabels: own } }] },
    ]);
  });

  test("with policies the pods of workers reach the replicas beside those that are chosen", async () => {
    expect(peersIn(await render(MOST))).toContainEqual({
      podSelector: {
        matchLabels: {
          "app.kubernetes.io/name": "sv-worker",
          "app.kubernetes.io/managed-by": "sv-runtime",
        },
      },
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "gpu" } },
    });
  });

  test("a cluster whose namespaces have no label with their names selects pods by their own labels", async () => {
    const peers = peersIn(await render(MOST, "1.20.0")).filter(({ podSelector }) => podSelector);
    expect(peers.map(({ namespaceSelector }) => namespaceSelector)).toEqual([undefined, {}, {}]);
  });

  test("values of a platform team reach the pod", async () => {
    const rendered = await render(MOST);
    const { spec, metadata } = rendered.one<V1StatefulSet>("StatefulSet").spec?.template ?? {};
    const { affinity, envFrom, initContainers } = MOST;
    expect(metadata).toMatchObject({
      labels: { team: "inference", ...MOST.podLabels },
      annotations: MOST.podAnnotations,
    });
    expect(spec).toMatchObject({ priorityClassName: "platform", affinity, initContainers });
    expect(spec?.containers[0]).toMatchObject({
      image: `registry.example/sv@${MOST.image.digest}`,
      envFrom,
    });
    const account = rendered.one<V1ServiceAccount>("ServiceAccount");
    expect(account.metadata.annotations).toEqual(MOST.serviceAccount.annotations);
    const labels = rendered.objects.map((object) => object.metadata.labels?.["team"]);
    expect(new Set(labels)).toEqual(new Set(["inference"]));
  });

  test("another name and an account of one's own are used everywhere", async () => {
    const values = { ...MOST, fullnameOverride: "queue", serviceAccount: { name: "mine" } };
    const rendered = await render(values);
    expect(rendered.all("ServiceAccount")).toEqual([]);
    expect(rendered.one<V1RoleBinding>("RoleBinding").subjects?.[0]?.name).toBe("mine");
    const set = rendered.one<V1StatefulSet>("StatefulSet");
    expect(set.metadata.name).toBe("queue");
    expect(set.spec?.template.spec?.serviceAccountName).toBe("mine");
    expect(rendered.one<V1Ingress>("Ingress").metadata.name).toBe("queue");
  });

  test("privileges without user and groups leave both to OpenShift", async () => {
    const none = { runAsUser: null, runAsGroup: null, fsGroup: null };
    const rendered = await render({ ...LEAST, podSecurityContext: none });
    const pod = rendered.one<V1StatefulSet>("StatefulSet").spec?.template.spec;
    expect(pod?.securityContext).toEqual({
      ...{ runAsNonRoot: true, fsGroupChangePolicy: "OnRootMismatch" },
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(problemsOf(rendered)).toEqual([]);
  });
});
