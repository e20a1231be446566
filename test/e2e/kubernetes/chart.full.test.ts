/** The Helm chart on a real cluster: replicas with a database, and workers as pods, are installed, upgraded under load and removed. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesIsMissing } from "../../setup/kubernetes/programs.ts";
import {
  type ClusterNamespace,
  type Kubernetes,
  startKubernetes,
} from "../../setup/kubernetes/start.ts";
import { postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { startTcpProxy } from "../../setup/tcp-proxy.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { installPackage } from "../cluster/installed-package.ts";
import { API_KEY } from "../crash/killable-emulator.ts";
import { SECRET_KEY } from "../database/on-database.ts";
import { eventually } from "../jobs/observe.ts";
import { type Answer, makeImages } from "./service-scene.ts";

const RELEASE = "sv-runtime";
const IMAGE = { repository: "sv-test/emulate", tag: "1", pullPolicy: "Never" };
const SMALL = { SV_CONTAINER_MEMORY: "256m", SV_CONTAINER_TMP: "64m" };
const PATIENCE_MS = 120_000;
const isMissing = kubernetesIsMissing() ?? postgresIsMissing;

const POD = {
  metadata: { annotations: { team: "inference" } },
  spec: { containers: [{ resources: { requests: { cpu: "60m" } } }] },
};

describe.skipIf(isMissing !== undefined)("the chart on a cluster", () => {
  const parts = new AsyncDisposableStack();
  let cluster: Kubernetes;
  let services: ClusterNamespace;
  let workers: ClusterNamespace;
  let values: object;

  beforeAll(async () => {
    const directory = parts.use(temporaryDirectory()).path;
    cluster = parts.use(await startKubernetes());
    const { node, worker } = await makeImages(cluster.docker, directory);
    await makeServiceImage(cluster, directory, node);
    services = parts.use(await cluster.makeNamespace());
    workers = parts.use(await cluster.makeNamespace());
    const postgres = parts.use(await startPostgres());
    const { port } = new URL(postgres.url());
    const way = parts.use(await startTcpProxy(Number(port), cluster.hostAddress));
    await secret("sv-keys", { SV_API_KEY: API_KEY, SV_SECRET_KEY: SECRET_KEY });
    await secret("sv-database", { uri: `postgres://postgres@${way.address}/postgres` });
    const app = {
      ...{ image: worker, env: SMALL, workersMin: 0, workersMax: 2, idleTimeout: 1 },
      ...{ scalerType: "REQUEST_COUNT", scalerValue: 1 },
    };
    values = {
      ...{ image: IMAGE, replicas: 2, secret: "sv-keys", database: { secret: "sv-database" } },
      insecureReplicas: true,
      kubernetes: { namespace: workers.name },
      config: { endpoints: { app }, kubernetesPod: POD },
      resources: { requests: { cpu: "50m", memory: "128Mi" } },
    };
  }, 3_600_000);
  afterAll(() => parts.disposeAsync(), 300_000);

  const kubectl = (args: readonly string[], input?: object) =>
    cluster.kubectl(["--namespace", services.name, ...args], input);
  const helm = (args: readonly string[], input?: object) =>
    cluster.helm(["--namespace", services.name, ...args], input);
  const secret = (name: string, stringData: object) =>
    kubectl(["create", "-f", "-"], {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name }, stringData },
    });
  const rolledOut = () =>
    kubectl(["rollout", "status", `statefulset/${RELEASE}`, "--timeout=180s"]);
  const ofPods = async (field: string) => {
    const found = await kubectl(["get", "pods", "-o", `jsonpath={.items[*].${field}}`]);
    return found.split(" ").filter((value) => value !== "");
  };

  /** Sends a request to any replica. */
  const ask = (place: string, body?: object) =>
    eventually(
      `an answer at ${place}`,
      async () => {
        for (const address of await ofPods("status.podIP")) {
          const answer = await fetch(`http://${address}:7080${place}`, {
            method: body === undefined ? "GET" : "POST",
            headers: { authorization: `Bearer ${API_KEY}` },
            ...(body && { body: JSON.stringify(body) }),
            signal: AbortSignal.timeout(10_000),
          }).catch(() => undefined);
          if (answer?.ok === true) return (await answer.json()) as Answer;
        }
        return undefined;
      },
      PATIENCE_MS,
    );
  const submit = async (ms: number) => (await ask("/v2/app/run", { input: { ms } })).id;
  const untilDone = (id: string) =>
    eventually(
      `${id} is done`,
      async () => {
        const { status, output } = await ask(`/v2/app/status/${id}`);
        return status === "COMPLETED" ? output : undefined;
      },
      PATIENCE_MS,
    );

  test("the chart installs replicas that share a database, with workers as pods of the other namespace", async () => {
    const notes = await helm(["install", RELEASE, chart, "--values", "-"], values);
    expect(notes).toContain(`http://${RELEASE}.${services.name}:7080`);
    await rolledOut();
    const exec = ["exec", `${RELEASE}-0`, "--", "sv-emulate"];
    expect(JSON.parse(await kubectl([...exec, "replicas", "--json"]))).toMatchObject({
      replicas: [{}, {}],
      unowned: [],
    });
    const id = await submit(3_000);
    await eventually("its worker is a pod", async () => {
      const pods = await cluster.kubectl(["--namespace", workers.name, "get", "pods"]);
      return pods.includes("app") ? true : undefined;
    });
    const made = await cluster.kubectl([
      ...["--namespace", workers.name, "get", "pods", "-o"],
      "jsonpath={.items[0].metadata.annotations.team} {.items[0].spec.containers[0].resources.requests.cpu}",
    ]);
    expect(made).toBe("inference 60m");
    expect(await untilDone(id)).toEqual({ attempt: 1 });
    expect(await kubectl(["get", "poddisruptionbudget", "-o", "name"])).toContain(RELEASE);
  }, 400_000);

  test("an upgrade replaces the replicas one after another, and no job is lost", async () => {
    const before = await ofPods("metadata.uid");
    const ids = [await submit(5_000)];
    const changed = { ...values, env: [{ name: "CHANGED", value: "yes" }] };
    await helm(["upgrade", RELEASE, chart, "--values", "-"], changed);
    const over = new AbortController();
    const rolled = rolledOut().finally(() => over.abort());
    while (!over.signal.aborted) ids.push(await submit(100));
    await rolled;
    for (const id of ids) await untilDone(id);
    const after = await ofPods("metadata.uid");
    expect(new Set([...before, ...after]).size).toBe(4);
    console.log("figure: jobs during an upgrade", ids.length);
  }, 400_000);

  test("after its removal only the resources are left that the documents name", async () => {
    await helm(["uninstall", RELEASE, "--wait"]);
    const instance = `app.kubernetes.io/instance=${RELEASE}`;
    await kubectl(["wait", "pods", "-l", instance, "--for=delete", "--timeout=90s"]);
    const kinds =
      "statefulsets,pods,services,configmaps,poddisruptionbudgets,persistentvolumeclaims";
    const left = await kubectl(["get", kinds, "-l", instance]);
    expect(left).toBe("");
    const rights = "roles,rolebindings,pods,secrets";
    const ofWorkers = ["--namespace", workers.name, "get", rights, "-o", "name"];
    const others = async () => {
      const names = (await cluster.kubectl(ofWorkers)).split("\n");
      return names.filter((name) => !name.startsWith("secret/default-token"));
    };
    // The node needs time to end a deleted pod.
    await expect.poll(others).toEqual([]);
  }, 400_000);
});

const chart = path.resolve("templates/helm");

/** Builds the image like the documents. */
async function makeServiceImage({ docker }: Kubernetes, directory: string, node: string) {
  const folder = path.join(directory, "sv-runtime");
  fs.mkdirSync(folder);
  installPackage(folder);
  const file = path.join(folder, "templates/cluster/Dockerfile");
  const name = `${IMAGE.repository}:${IMAGE.tag}`;
  await docker.ask(
    ...["build", "-f", file, "-t", name, "--build-arg", `NODE_IMAGE=${node}`, folder],
  );
}
