/**
 * The chart rendered by Helm: a cluster accepts its objects, the service understands its arguments, and invalid
 * values are refused with a message.
 */
import fs from "node:fs";
import path from "node:path";
import type {
  V1Ingress,
  V1PersistentVolumeClaim,
  V1PodDisruptionBudget,
  V1Role,
  V1Service,
  V1StatefulSet,
} from "@kubernetes/client-node";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { prepareClients, whatIsMissingOfClients } from "../../setup/kubernetes/client-programs.ts";
import { readDocument } from "../docs/documents.ts";
import {
  chartFolder,
  helm,
  type Named,
  objectsIn,
  RELEASE,
  render,
  type Rendered,
} from "./chart.ts";
import { problemsOf } from "./chart-problems.ts";
import { LEAST, MOST, SHARED } from "./chart-values.ts";
import { SECRETS, settled } from "./service-call.ts";

const isMissing = await whatIsMissingOfClients("tests of the chart");

/** The first block of YAML in a document. */
function yamlIn(file: string): string {
  const [, yaml = ""] = /^```yaml\n([\s\S]*?)^```$/mu.exec(readDocument(file).text) ?? [];
  return yaml;
}

const kindsOf = ({ objects }: Rendered) => objects.map(({ kind }) => kind).toSorted();

describe.skipIf(isMissing !== undefined)("the chart", () => {
  beforeAll(prepareClients, 300_000);

  test.each([{ values: LEAST }, { values: SHARED }, { values: MOST }])(
    "has objects without warnings from Helm or refusals from a cluster",
    async ({ values }) => {
      await expect(
        helm(["lint", "--strict", "--quiet", chartFolder, "--values", "-"], values),
      ).resolves.toBe("");
      expect(problemsOf(await render(values))).toEqual([]);
    },
  );

  test("the check finds objects that a cluster would refuse or that would wait forever", async () => {
    const rendered = await render({
      ...MOST,
      resources: { limit: { memory: 1 } },
      tolerations: [{ key: 1 }],
      volumeMounts: [{ name: "nowhere", mountPath: "/nowhere" }],
      env: [...MOST.env, { name: "POD_IP", value: "10.0.0.1" }],
    });
    expect(problemsOf(rendered)).toEqual([
      "StatefulSet sv-sv-runtime: spec.template.spec.containers[0].resources.limit is unknown",
      "StatefulSet sv-sv-runtime: spec.template.spec.tolerations[0].key must be a string",
      "nowhere is no volume",
      "authority is no mount",
      "POD_IP is there twice",
    ]);
  });

  test("one replica keeps its data on a volume that survives the release, and has no rights in the cluster", async () => {
    const rendered = await render(LEAST);
    expect(kindsOf(rendered)).toEqual([
      "PersistentVolumeClaim",
      "Service",
      "ServiceAccount",
      "StatefulSet",
    ]);
    const claim = rendered.one<V1PersistentVolumeClaim>("PersistentVolumeClaim");
    expect(claim.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
    const pod = rendered.one<V1StatefulSet>("StatefulSet").spec?.template.spec;
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    const { settings, endpoints } = await settled(rendered);
    expect(endpoints).toEqual(["greet"]);
    expect(settings).toMatchObject({
      host: "0.0.0.0",
      dataDir: "/data",
      docker: "off",
      apiKey: "key-of-users",
    });
    expect(settings).not.toHaveProperty("advertise", expect.anything());
    expect(settings).not.toHaveProperty("workerPort", expect.anything());
  });

  test("replicas know the addresses of each other's pods, and are removed one at a time", async () => {
    const rendered = await render(SHARED);
    const { settings } = await settled(rendered);
    expect(settings).toMatchObject({
      store: SECRETS["sv-db-app/uri"],
      advertise: "http://10.1.2.3:7080",
      secretKey: SECRETS["sv-keys/SV_SECRET_KEY"],
    });
    const budget = rendered.one<V1PodDisruptionBudget>("PodDisruptionBudget");
    expect(budget.spec?.maxUnavailable).toBe(1);
    expect(rendered.all("PersistentVolumeClaim")).toEqual([]);
  });

  test("a pod has the least privileges, and time to stop in order", async () => {
    const { spec } = (await render(SHARED)).one<V1StatefulSet>("StatefulSet");
    const pod = spec?.template.spec;
    expect(pod?.securityContext).toMatchObject({
      ...{ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(pod?.containers[0]?.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ["ALL"] },
    });
    const LONGEST_STOP_SECONDS = 5 + 30 + 10;
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(LONGEST_STOP_SECONDS);
  });

  test("with all values at once the service gets exactly these settings", async () => {
    const { settings, endpoints } = await settled(await render(MOST));
    expect(endpoints).toEqual(["greet", "upscale"]);
    expect(settings).toMatchObject({
      objects: SECRETS["sv-bucket/address"],
      allowedHosts: [
        ...["sv-sv-runtime", "sv-sv-runtime.prod", "sv-sv-runtime.prod.svc"],
        ...["sv.example.com", "sv.internal"],
      ],
      trustProxy: ["private"],
      workerPort: 7443,
      workerAddress: "sv-sv-runtime-0.gpu.example.com:7443",
      kubernetes: "gpu",
    });
  });

  test("workers in the cluster connect to the address of the replica's pod", async () => {
    const { settings } = await settled(
      await render({ ...LEAST, kubernetes: { namespace: "gpu" } }),
    );
    expect(settings).toMatchObject({ workerPort: 7443, workerAddress: "10.1.2.3:7443" });
  });

  test("workers from outside reach each replica by its own name", async () => {
    const services = (await render(MOST)).all<V1Service>("Service");
    const outside = services.filter(({ spec }) => spec?.type === "LoadBalancer");
    const names = outside.map(
      ({ metadata }) => metadata.annotations?.["external-dns.alpha.kubernetes.io/hostname"],
    );
    expect(names).toEqual([0, 1, 2].map((index) => `sv-sv-runtime-${index}.gpu.example.com`));
    const pods = outside.map(({ spec }) => spec?.selector?.["statefulset.kubernetes.io/pod-name"]);
    expect(pods).toEqual([0, 1, 2].map((index) => `sv-sv-runtime-${index}`));
  });

  test("the documented values give a service on a database with pods as workers", async () => {
    const rendered = await render(parse(yamlIn("docs/kubernetes-chart.md")) as object);
    expect(problemsOf(rendered)).toEqual([]);
    const { settings, endpoints } = await settled(rendered);
    expect(endpoints).toEqual(["upscale"]);
    expect(settings).toMatchObject({
      store: SECRETS["sv-database/uri"],
      objects: SECRETS["sv-bucket/address"],
      kubernetes: "sv-workers",
    });
  });

  test("its role is the documented one, in the workers' namespace alone", async () => {
    const role = (await render(MOST)).one<V1Role>("Role");
    const [given] = objectsIn(yamlIn("docs/kubernetes.md")) as readonly Named<V1Role>[];
    expect(role.metadata.namespace).toBe("gpu");
    expect(role.rules).toEqual(given?.rules);
  });

  test("an ingress lets long requests, large bodies and streams pass, and its annotations may be changed", async () => {
    const { metadata, spec } = (await render(MOST)).one<V1Ingress>("Ingress");
    expect(spec?.tls).toEqual([{ hosts: ["sv.example.com"], secretName: "sv-certificate" }]);
    expect(metadata.annotations).toEqual({
      "nginx.ingress.kubernetes.io/proxy-body-size": "0",
      "nginx.ingress.kubernetes.io/proxy-buffering": "off",
      "nginx.ingress.kubernetes.io/proxy-request-buffering": "off",
      "nginx.ingress.kubernetes.io/proxy-read-timeout": "7200",
      "nginx.ingress.kubernetes.io/proxy-send-timeout": "3600",
    });
  });

  test("a change of the config changes the pods", async () => {
    const checksum = async (config: object) => {
      const set = (await render({ ...LEAST, config })).one<V1StatefulSet>("StatefulSet");
      return set.spec?.template.metadata?.annotations?.["checksum/config"];
    };
    expect(await checksum({ endpoints: {} })).not.toBe(await checksum({ endpoints: { a: {} } }));
  });

  test.each([
    [{ secret: "sv-keys" }, "image.repository is missing"],
    [{ image: LEAST.image }, "secret is missing: the name of a Secret with SV_API_KEY"],
    [{ ...LEAST, replicas: 3 }, "3 replicas need a database: database.secret"],
    [{ ...SHARED, insecureReplicas: false }, "replicas call each other over plain HTTP"],
    [{ ...LEAST, bucket: { secret: "a" } }, "bucket.secret goes with database.secret"],
    [{ ...LEAST, workers: { domain: "a.b" } }, "workers.domain goes with workers.enabled"],
    [
      { ...LEAST, metrics: { serviceMonitor: true } },
      "metrics.serviceMonitor goes with metrics.secret",
    ],
    [
      { ...LEAST, kubernetes: { namespace: RELEASE.namespace } },
      "kubernetes.namespace is the namespace of the release, which has its keys",
    ],
    [{ ...LEAST, image: { digest: "1" } }, "Does not match pattern"],
    [{ ...SHARED, replicas: 65 }, "replicas: Must be less than or equal to 64"],
    [{ ...LEAST, replica: 3 }, "Additional property replica is not allowed"],
    [{ ...LEAST, database: { url: "a" } }, "Additional property url is not allowed"],
  ])("%j is refused", async (values, sentence) => {
    await expect(render(values)).rejects.toThrow(sentence);
  });
});

test("the chart has the version of the package", () => {
  const { version } = JSON.parse(readDocument("package.json").text) as { readonly version: string };
  const chart = parse(fs.readFileSync(path.join(chartFolder, "Chart.yaml"), "utf8")) as object;
  expect(chart).toMatchObject({ version, appVersion: version });
});

test("the schema of the values allows exactly the chart's values", () => {
  const read = (name: string) => fs.readFileSync(path.join(chartFolder, name), "utf8");
  const values = parse(read("values.yaml")) as object;
  const schema = JSON.parse(read("values.schema.json")) as { readonly properties: object };
  // Helm adds this value for parent charts.
  expect(Object.keys(schema.properties).toSorted()).toEqual(
    [...Object.keys(values), "global"].toSorted(),
  );
});
