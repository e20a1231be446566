/** Operations of each scope, one by one: a new operation must be added here. */
import { describe, expect, it } from "vitest";
import {
  type ApiKey,
  type KeyScope,
  MADE_SCOPES,
} from "../../../../../emulator/core/access/api-key.ts";
import { opens } from "../../../../../emulator/core/access/key-scope.ts";
import { CONTRACT_DIALECT } from "../../../../../emulator/http/operation/dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "../../../../../emulator/http/operation/dialects/live-dialect.ts";
import {
  type Access,
  needOf,
  type Operation,
  routesOf,
  rulesOf,
} from "../../../../../emulator/http/operation/operation.ts";
import { OPERATIONS } from "../../../../../emulator/http/operations.ts";
import { operationsOf } from "../../../../../emulator/http/router.ts";
import { makeKey, startTestHttp } from "../../http-harness.ts";

/** For each scope, the operations that it allows, except those without a key. */
const JOB_READINGS = ["status", "statusSync", "health", "requests"];
const JOB_CHANGES = ["run", "runsync", "cancel", "retry", "purgeQueue", "askOpenai", "readOpenai"];
/** Operations that read with one parameter, and change with another or none. */
const EITHER = ["status", "stream"];
const READINGS = [
  ...["listTemplates", "readTemplate", "listRegistryAuths", "readRegistryAuth", "listEndpoints"],
  ...["readEndpoint", "listNetworkVolumes", "readNetworkVolume", "listPods", "readPod"],
  ...["billEndpoints", "billPods", "billNetworkVolumes"],
  ...["listDeliveries", "readDelivery", "readClock", "events", "readOrigins", "listJobs"],
  ...["listDeletedJobs", "readJob", "readChunks", "observeEndpoints", "readSeries"],
  ...[
    "readDecisions",
    "listReplicas",
    "listWorkers",
    "readLimits",
    "logs",
    "readMetrics",
    "readSession",
  ],
  ...["listKeys", "readAudit"],
];
const CHANGES = [
  ...["createTemplate", "updateTemplate", "deleteTemplate", "createRegistryAuth"],
  ...["deleteRegistryAuth", "createEndpoint", "updateEndpoint", "deleteEndpoint"],
  ...["createNetworkVolume", "updateNetworkVolume", "deleteNetworkVolume", "createPod"],
  ...["updatePod", "deletePod", "startPod", "stopPod", "restartPod", "resetPod"],
  ...[
    "readWebhookSecret",
    "redeliver",
    "advanceClock",
    "holdDeletions",
    "cancelMatching",
    "retryMatching",
  ],
  ...["killWorker", "freezeWorker", "drainWorker", "issueTicket"],
];
const OF_KEYS = ["createKey", "revokeKey"];

const KEYLESS = new Set<Access | undefined>(["anyone", "probe"]);
const named = Object.entries(OPERATIONS).filter(([, { access }]) => !KEYLESS.has(access));

function keyOf(scope: KeyScope): ApiKey {
  const endpointIds = { jobs: ["echo", "tokens"], workers: ["echo"] }[scope as string] ?? [];
  return { id: "k", name: "k", scope, endpointIds, digest: "", createdAt: "" };
}

function isOpen(operation: Operation, scope: KeyScope, endpointId = "echo", query = {}): boolean {
  const path = operation.path.includes(":endpointId") ? { endpointId } : {};
  const need = needOf({ rules: rulesOf(operation), path, query });
  return typeof need === "string" || opens(keyOf(scope), need);
}

/** Names of the operations that the scope allows. */
function openTo(scope: KeyScope, endpointId?: string, query = {}): string[] {
  const open = named.filter(([, operation]) => isOpen(operation, scope, endpointId, query));
  return open.map(([name]) => name).toSorted();
}

describe("a key with the scope", () => {
  it("all permits every operation", () => {
    const everything = [JOB_READINGS, JOB_CHANGES, ["stream"], READINGS, CHANGES, OF_KEYS].flat();
    expect(openTo("all")).toEqual(named.map(([name]) => name).toSorted());
    expect(openTo("all")).toEqual(everything.toSorted());
  });

  it("read-only permits only operations that change nothing", () => {
    expect(openTo("read-only")).toEqual([...JOB_READINGS, ...READINGS].toSorted());
    const pinned = JOB_READINGS.filter((name) => name !== "status");
    expect(openTo("read-only", "echo", { ttl: "1" })).toEqual([...pinned, ...READINGS].toSorted());
    const fromIndex = [...JOB_READINGS, ...READINGS, "stream"];
    expect(openTo("read-only", "echo", { from: "0" })).toEqual(fromIndex.toSorted());
  });

  it("jobs permits all operations on jobs of its endpoints, and no others", () => {
    const jobs = [...new Set([...JOB_READINGS, ...JOB_CHANGES, ...EITHER])].toSorted();
    for (const endpointId of ["echo", "tokens"]) expect(openTo("jobs", endpointId)).toEqual(jobs);
    for (const endpointId of ["other", "Echo", "echo ", ""])
      expect(openTo("jobs", endpointId)).toEqual([]);
  });

  it("management permits resources and the emulator's own operations, except keys, and no jobs", () => {
    expect(openTo("management")).toEqual([...READINGS, ...CHANGES].toSorted());
  });

  it("workers permits no operation of clients", () => {
    expect(openTo("workers")).toEqual([]);
  });

  it("user, of the start's key beside an admin key, permits none of the emulator's own operations", () => {
    const own = named.filter(([, { path }]) => /^\/(?:emulator\/|metrics$)/u.test(path));
    const ownNames = own.map(([name]) => name);
    const others = named.map(([name]) => name).filter((name) => !ownNames.includes(name));
    expect(openTo("user")).toEqual(others.toSorted());
  });
});

it("the audit records all operations except reads and those on jobs, and the removal of a whole queue", () => {
  const audited = named.filter(([, operation]) => rulesOf(operation).isAudited);
  expect(audited.map(([name]) => name).toSorted()).toEqual(
    [...CHANGES, ...OF_KEYS, "purgeQueue"].toSorted(),
  );
});

/** Each method and path of the operations that the scope does not permit, in both dialects. */
function closedTo(scope: KeyScope, endpointId: string): string[] {
  return [CONTRACT_DIALECT, LIVE_DIALECT].flatMap((dialect) =>
    Object.values(operationsOf(dialect))
      .filter((operation) => !isOpen(operation, scope, endpointId))
      .flatMap(routesOf)
      .flatMap(({ methods, path }) => {
        const filled = path.replaceAll(/:\w+/gu, endpointId).replace("*", "models");
        return methods.map((method) => `${method} ${dialect.basePath}${filled}`);
      }),
  );
}

it("no key reaches an operation outside its scope, by any method and path of both dialects", async () => {
  await using service = await startTestHttp({ dashboard: "on" });
  await service.test.addEndpoint("tokens");
  const kept = async () => (await service.call("GET", "/v1/endpoints")).text;
  const before = await kept();
  for (const scope of MADE_SCOPES) {
    const isOfEndpoint = scope === "jobs" || scope === "workers";
    const endpointIds = isOfEndpoint ? { endpointIds: ["tokens"] } : {};
    const { key } = await makeKey(service, { name: scope, scope, ...endpointIds });
    for (const line of closedTo(scope, scope === "jobs" ? "other" : "tokens")) {
      const [method = "", path = ""] = line.split(" ");
      const headers = { authorization: key };
      const answer = await fetch(`${service.url}${path}`, { method, headers });
      const text = await answer.text();
      expect.soft(answer.status, `${scope}: ${line}`).toBe(403);
      expect.soft(text, `${scope}: ${line}`).toContain(`has the scope ${scope}, which opens `);
    }
  }
  expect(await kept()).toBe(before);
});
