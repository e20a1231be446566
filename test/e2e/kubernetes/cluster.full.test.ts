/** The cluster of the tests gives other tests pods, services, roles, GPUs and evictions. It leaves nothing behind. */
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { kubernetesIsMissing } from "../../setup/kubernetes/programs.ts";
import {
  type ClusterNamespace,
  type Kubernetes,
  startKubernetes,
} from "../../setup/kubernetes/start.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually } from "../jobs/observe.ts";

/** Security context of a pod without rights. */
const LEAST = {
  ...{ runAsNonRoot: true, runAsUser: 1000, readOnlyRootFilesystem: true },
  ...{ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};

/** A program that returns its rights: as a process, on its disk, and in the cluster through its service account. */
const ANSWERS = `const fs = require("node:fs"), https = require("node:https");
const at = "/var/run/secrets/kubernetes.io/serviceaccount/", read = (file) => fs.readFileSync(file, "utf8");
const written = (file) => { try { fs.writeFileSync(file, "x"); return true; } catch (error) { return error.code; } };
const asked = (what) => new Promise((resolve) => https.get({
  host: process.env.KUBERNETES_SERVICE_HOST, port: process.env.KUBERNETES_SERVICE_PORT, ca: read(at + "ca.crt"),
  path: "/api/v1/namespaces/" + read(at + "namespace") + "/" + what, headers: { authorization: "Bearer " + read(at + "token") },
}, (response) => resolve(response.resume().statusCode)).on("error", (error) => resolve(error.message)));
require("node:http").createServer(async (_, response) => response.end(JSON.stringify({
  capabilities: /CapEff:\\s*(\\w+)/.exec(read("/proc/self/status"))[1], uid: process.getuid(),
  root: written("/x"), tmp: written("/tmp/x"), pods: await asked("pods"), secrets: await asked("secrets"),
}))).listen(8000);`;

describe.skipIf(kubernetesIsMissing() !== undefined)("a cluster", () => {
  let cluster: Kubernetes;
  let namespace: ClusterNamespace;
  let image: string;

  beforeAll(async () => {
    cluster = await startKubernetes();
    image = await nodeImage(cluster.docker);
    namespace = await cluster.makeNamespace();
  }, 3_600_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const kubectl = (args: readonly string[], input?: object) =>
    cluster.kubectl(["--namespace", namespace.name, ...args], input);
  const create = (...objects: readonly object[]) =>
    kubectl(["create", "-f", "-"], { apiVersion: "v1", kind: "List", items: objects });
  const container = (program: string, more: object = {}) => [
    { name: "main", image, command: ["node", "-e", program], securityContext: LEAST, ...more },
  ];
  const wait = (thing: string, condition: string) =>
    kubectl(["wait", thing, `--for=${condition}`, "--timeout=120s"]);

  test("the pod of a Job reaches this machine, and ends", async () => {
    const requests: (string | undefined)[] = [];
    const server = http.createServer((request, response) => {
      requests.push(request.url);
      response.end();
    });
    await once(server.listen(0, cluster.hostAddress), "listening");
    const { port } = server.address() as AddressInfo;
    const program = `fetch("http://${cluster.hostAddress}:${port}/here").then(() => console.log("said"))`;
    const template = { spec: { restartPolicy: "Never", containers: container(program) } };
    await create({ ...named("batch/v1", "Job", "once"), spec: { template } });
    await wait("job/once", "condition=Complete");
    expect(requests).toEqual(["/here"]);
    expect(await kubectl(["logs", "job/once"])).toBe("said");
    server.close();
  });

  test("this machine reaches the pods of a Deployment, which have only the rights they were given", async () => {
    const labels = { app: "answers" };
    const volumeMounts = [{ name: "tmp", mountPath: "/tmp" }];
    const spec = {
      serviceAccountName: "reader",
      containers: container(ANSWERS, { volumeMounts, ports: [{ containerPort: 8000 }] }),
      volumes: [{ name: "tmp", emptyDir: { medium: "Memory" } }],
    };
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
    await create(
      named("v1", "ServiceAccount", "reader"),
      { ...named("rbac.authorization.k8s.io/v1", "Role", "reader"), rules },
      {
        ...named("rbac.authorization.k8s.io/v1", "RoleBinding", "reader"),
        ...{ roleRef, subjects: [{ kind: "ServiceAccount", name: "reader" }] },
      },
      {
        ...named("apps/v1", "Deployment", "answers"),
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      },
    );
    await wait("deployment/answers", "condition=Available");
    const query = ["get", "pods", "-l", "app=answers", "-o", "jsonpath={.items[0].status.podIP}"];
    const address = await kubectl(query);
    const seen = await eventually("the pod answers", async () => {
      const answer = await fetch(`http://${address}:8000/`).catch(() => undefined);
      return answer?.json();
    });
    const asProcess = { uid: 1000, capabilities: "0000000000000000", root: "EROFS", tmp: true };
    expect(seen).toEqual({ ...asProcess, pods: 200, secrets: 403 });
  });

  test("a pod that needs a GPU starts when the node has one", async () => {
    const resources = { limits: { "nvidia.com/gpu": "1" } };
    const spec = { restartPolicy: "Never", containers: container("", { resources }) };
    await create({ ...named("v1", "Pod", "gpu"), spec });
    await wait("pod/gpu", "condition=PodScheduled=false");
    const query = ["get", "pod/gpu", "-o", "jsonpath={.status.conditions[0].message}"];
    expect(await kubectl(query)).toContain("Insufficient nvidia.com/gpu");
    await cluster.setGpus(1);
    await wait("pod/gpu", "jsonpath={.status.phase}=Succeeded");
  });

  test("pods of a drained or removed node are created again on another node", async () => {
    const labels = { app: "sleeps" };
    const spec = { containers: container("setInterval(() => {}, 1000)") };
    await create({
      ...named("apps/v1", "Deployment", "sleeps"),
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await wait("deployment/sleeps", "condition=Available");
    await cluster.drainNode();
    await wait("deployment/sleeps", "condition=Available=false");
    await cluster.uncordonNode();
    await wait("deployment/sleeps", "condition=Available");
    await cluster.removeNode();
    await wait("deployment/sleeps", "condition=Available=false");
    await cluster.returnNode();
    await wait("deployment/sleeps", "condition=Available");
    const query = ["get", "pods", "-l", "app=sleeps", "-o", "jsonpath={.items[*].spec.nodeName}"];
    expect(await kubectl(query)).toBe(cluster.nodeName);
    // The cluster keeps pods of a removed node for a minute.
  }, 400_000);

  test("a chart can be installed and removed", async () => {
    const template = JSON.stringify(named("v1", "ConfigMap", "NAME"));
    await using chart = await temporaryTree({
      "Chart.yaml": JSON.stringify({ apiVersion: "v2", name: "chart", version: "0.1.0" }),
      "templates/map.yaml": template.replace("NAME", "{{ .Values.name }}"),
    });
    const helm = (...args: readonly string[]) =>
      cluster.helm(["--namespace", namespace.name, ...args]);
    await helm("install", "release", chart.root, "--set", "name=of-the-chart");
    expect(await kubectl(["get", "configmap", "-o", "name"])).toContain("configmap/of-the-chart");
    await helm("uninstall", "release");
    expect(await kubectl(["get", "configmap", "-o", "name"])).not.toContain("of-the-chart");
  });

  test("a closed cluster leaves nothing behind", async () => {
    const home = path.dirname(cluster.kubeconfig);
    expect(processesOf(home)).not.toEqual([]);
    await namespace[Symbol.asyncDispose]();
    expect(await cluster.kubectl(["get", "namespaces"])).not.toContain(namespace.name);
    await cluster[Symbol.asyncDispose]();
    expect(processesOf(home)).toEqual([]);
    expect(fs.existsSync(home)).toBe(false);
  });
});

function named(apiVersion: string, kind: string, name: string) {
  return { apiVersion, kind, metadata: { name } };
}

/** Command lines of this machine's processes that contain the folder. */
function processesOf(folder: string): readonly string[] {
  return fs.globSync("/proc/[0-9]*/cmdline").flatMap((file) => {
    const command = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    return command.includes(folder) ? [command.replaceAll("\0", " ")] : [];
  });
}
