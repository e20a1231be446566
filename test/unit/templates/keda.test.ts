/** Workers that KEDA scales: the file in templates/keda matches the service and sv-worker. */
import fs from "node:fs";
import type { V1Deployment } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { startEmulator } from "../../../emulator/index.ts";
import { readSettings } from "../../../runtime/bin/settings.ts";
import { servicePlaces } from "../../../runtime/protocol/environment/service-address.ts";
import { eventually } from "../../e2e/jobs/observe.ts";
import { type ClusterObject, type Named, objectsIn } from "./chart.ts";
import { fieldProblems } from "./chart-problems.ts";

interface ScaledObject extends ClusterObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly advanced: { readonly scalingModifiers: { readonly formula: string } };
    readonly triggers: readonly {
      readonly name: string;
      readonly metadata: { readonly url: string; readonly valueLocation: string };
      readonly authenticationRef: { readonly name: string };
    }[];
  };
}

const [deployment, authentication, scaled] = objectsIn(
  fs.readFileSync("templates/keda/workers.yaml", "utf8"),
) as [Named<V1Deployment>, ClusterObject, ScaledObject];

test("the deployment is valid for a cluster and sv-worker, and leaves time for running jobs", () => {
  expect(fieldProblems(deployment)).toEqual([]);
  const pod = deployment.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const environment = Object.fromEntries(
    container?.env?.map(({ name, value }) => [name, value] as const) ?? [],
  );
  const places = servicePlaces(environment["SV_SERVICE_ADDRESS"] ?? "");
  expect(places).toEqual([{ kind: "tls", host: "sv-runtime.default", port: 7443 }]);
  expect(environment).toHaveProperty("SV_WORKER_TOKEN");
  const settings = readSettings(environment);
  const grace = (pod?.terminationGracePeriodSeconds ?? 0) * 1000;
  expect(grace).toBeGreaterThan(settings.drainLimitMs ?? Number.POSITIVE_INFINITY);
});

test("its parts refer to each other", () => {
  const { spec } = scaled;
  expect(spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  expect(new Set(spec.triggers.map(({ authenticationRef: { name } }) => name))).toEqual(
    new Set([authentication.metadata.name]),
  );
  expect(spec.advanced.scalingModifiers.formula).toBe(
    spec.triggers.map(({ name }) => name).join(" + "),
  );
});

test("its triggers read the numbers of waiting and running jobs, with a read-only key", async () => {
  const ended = Promise.withResolvers<void>();
  await using service = await startEmulator({
    port: 0,
    apiKey: "key",
    endpoints: { upscale: { handler: () => ended.promise, settings: { workersMax: 1 } } },
  });
  const ask = async <T>(place: string, key: string, body?: object) => {
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return (await fetch(new URL(place, service.url), { headers, ...sent })).json() as Promise<T>;
  };
  for (let job = 0; job < 3; job += 1) await ask("/v2/upscale/run", "key", { input: {} });
  const reader = { name: "keda", scope: "read-only" };
  const made = await ask<{ readonly key: string }>("/emulator/keys", "key", reader);
  const read = async () => {
    const values = scaled.spec.triggers.map(async ({ name, metadata }) => {
      const answer = await ask<unknown>(new URL(metadata.url).pathname, made.key);
      return [name, valueAt(answer, metadata.valueLocation)] as const;
    });
    return Object.fromEntries(await Promise.all(values));
  };
  const isRunning = async () => ((await read())["running"] === 1 ? true : undefined);
  await eventually("one job runs", isRunning);
  expect(await read()).toEqual({ queued: 2, running: 1 });
  ended.resolve();
});

/** The value at a simple GJSON path. */
function valueAt(answer: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce((value, key) => (value as Readonly<Record<string, unknown>>)[key], answer);
}
