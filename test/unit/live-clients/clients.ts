/**
 * Which clients of the live service the tests play or run, and what each calls: docs/live-clients.md has it as tables. Whether it is
 * so the tests see: `playing.ts`.
 */

export interface LiveClient {
  readonly name: string;
  readonly version: string;
  /** `run`: the client itself runs; `played`: its requests are sent, and the answers read by its types. */
  readonly how: "run" | "played";
  /**
   * What it calls: operations by their names in `emulator/http/operations.ts` and `emulator/http/rest-v2/operations.ts`; fields of
   * GraphQL behind `graphql.`, those of the account behind `graphql.myself.`.
   */
  readonly calls: readonly string[];
}

const JOBS = ["run", "runsync", "status", "stream", "cancel", "purgeQueue", "health"];

/** What a resource of the first version of REST is managed by, in the order of the interface. */
function managed(one: string, many = `${one}s`): readonly string[] {
  return [`create${one}`, `list${many}`, `read${one}`, `update${one}`, `delete${one}`];
}

export const CLIENTS = {
  npm: {
    ...{ name: "npm `runpod-sdk`", version: "1.1.2", how: "run" },
    calls: [...JOBS, "statusSync"],
  },
  python: { ...{ name: "Python", version: "1.12", how: "played" }, calls: JOBS },
  go: { ...{ name: "Go", version: "1", how: "played" }, calls: [...JOBS, "statusSync"] },
  commandLine: {
    ...{ name: "command line", version: "2.7", how: "played" },
    calls: [
      ...["run", "runsync", "status"],
      ...managed("Template"),
      ...["listEndpoints", "readEndpoint", "updateEndpoint", "deleteEndpoint"],
      ...managed("Pod"),
      ...["startPod", "stopPod", "restartPod", "resetPod"],
      ...managed("NetworkVolume"),
      ...["createRegistryAuth", "readRegistryAuth", "deleteRegistryAuth"],
      ...["billPods", "billEndpoints", "billNetworkVolumes"],
    ],
  },
  mcpBefore: {
    ...{ name: "MCP server", version: "before 4.0.0", how: "played" },
    calls: [],
  },
  terraformCommunity: {
    ...{ name: "Terraform, the community's", version: "1", how: "played" },
    calls: [],
  },
} as const satisfies Readonly<Record<string, LiveClient>>;
