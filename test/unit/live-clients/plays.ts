/**
 * Clients of the live service that tests run or play, and the calls of each, which docs/live-clients.md has as
 * tables. Each test file belongs to one client, and checks that it makes exactly these calls.
 */

export interface Play {
  readonly client: string;
  /** Name of the client; several names if they make the same calls. */
  readonly versions: readonly string[];
  /** `run`: the client itself runs; `played`: the test sends its requests, and reads the answers by its types. */
  readonly how: "run" | "played";
  /** Name of the test file in this folder. */
  readonly file: string;
  /**
   * Operations by their names in `emulator/http/operations.ts` and
   * `emulator/http/management/rest-v2-operations.ts`; fields of GraphQL after `graphql.`, those of the account
   * after `graphql.myself.`.
   */
  readonly calls: readonly string[];
}

const JOBS = ["run", "runsync", "status", "stream", "cancel", "purgeQueue", "health"] as const;

/** Names of operations with the same beginning and end. */
function each(words: string, end: string): readonly string[] {
  return words.split(" ").map((word) => `${word}${end}`);
}

export const PLAYS = {
  npm: {
    ...{ client: "npm", versions: ["1.1.2"], how: "run", file: "npm-client.test.ts" },
    calls: [...JOBS, "statusSync"],
  },
  pythonJobs: {
    ...{ client: "Python", versions: ["1.12", "REST v2"], how: "played" },
    ...{ file: "python-client.test.ts", calls: JOBS },
  },
  pythonRestV2: {
    ...{ client: "Python", versions: ["REST v2"], how: "played" },
    file: "python-rest-v2.test.ts",
    calls: [
      ...each("create read delete", "PodV2"),
      ...["listPodsV2", "actOnPodV2", "streamPodLogsV2"],
      ...each("create update", "EndpointV2"),
      ...["listEndpointsV2", "listWorkersV2", "createTemplateV2", "readTemplateV2"],
      ...["createRegistryV2", "deleteRegistryV2", "replaceSshKeysV2"],
      ...["listGpuTypesV2", "readGpuTypeV2"],
    ],
  },
  pythonPods: {
    ...{ client: "Python", versions: ["1.12"], how: "played" },
    ...{ file: "python-pods.test.ts" },
    calls: [
      "graphql.deployCpuPod",
      "graphql.gpuTypes",
      "graphql.myself",
      "graphql.myself.networkVolumes",
      "graphql.myself.pods",
      "graphql.pod",
      "graphql.podFindAndDeployOnDemand",
      "graphql.podResume",
      "graphql.podStop",
      "graphql.podTerminate",
    ],
  },
  pythonManagement: {
    ...{ client: "Python", versions: ["1.12"], how: "played" },
    ...{ file: "python-management.test.ts" },
    calls: [
      ...["run", "status"],
      "graphql.deleteRegistryAuth",
      "graphql.myself.endpoints",
      "graphql.saveEndpoint",
      "graphql.saveRegistryAuth",
      "graphql.saveTemplate",
      "graphql.updateEndpointTemplate",
      "graphql.updateRegistryAuth",
      "graphql.updateUserSettings",
    ],
  },
  go: {
    ...{ client: "Go", versions: ["1"], how: "played", file: "go-client.test.ts" },
    calls: [...JOBS, "statusSync"],
  },
  commandLine: {
    ...{ client: "command line", versions: ["2.7"], how: "played", file: "command-line.test.ts" },
    calls: [
      ...["run", "runsync", "status"],
      ...[...each("create read update delete", "Template"), "listTemplates"],
      ...[...each("read update delete", "Endpoint"), "listEndpoints"],
      ...[...each("create update delete start stop restart reset", "Pod"), "listPods"],
      ...[...each("create update delete", "NetworkVolume"), "listNetworkVolumes"],
      ...each("create read delete", "RegistryAuth"),
      ...["billPods", "billEndpoints", "billNetworkVolumes"],
    ],
  },
  commandLineServerless: {
    ...{ client: "command line", versions: ["2.7"], how: "played" },
    ...{ file: "command-line-serverless.test.ts" },
    calls: [
      "createTemplate",
      "graphql.myself.endpoint",
      "graphql.saveEndpoint",
      "graphql.serverlessGpuPools",
      "graphql.updateEndpointTemplate",
    ],
  },
  commandLineTemplates: {
    ...{ client: "command line", versions: ["2.7"], how: "played" },
    ...{ file: "command-line-templates.test.ts" },
    calls: [
      "createTemplate",
      "graphql.myself.podTemplates",
      "graphql.podTemplate",
      "graphql.podTemplates",
      "graphql.saveTemplate",
    ],
  },
  commandLineGraphql: {
    ...{ client: "command line", versions: ["2.7"], how: "played" },
    ...{ file: "command-line-graphql.test.ts" },
    calls: [
      "graphql.dataCenters",
      "graphql.gpuTypes",
      "graphql.myself",
      "graphql.myself.pods",
      "graphql.podFindAndDeployOnDemand",
      "graphql.updateUserSettings",
    ],
  },
  commandLineV2: {
    ...{ client: "command line", versions: ["autumn 2026"], how: "played" },
    file: "command-line-v2.test.ts",
    calls: [
      ...[...each("read update delete", "EndpointV2"), "listEndpointsV2", "listWorkersV2"],
      ...[...each("create read update delete", "TemplateV2"), "listTemplatesV2"],
      ...[...each("create read update delete", "NetworkVolumeV2"), "listNetworkVolumesV2"],
      ...[...each("create read delete", "RegistryV2"), "listRegistriesV2"],
      ...["listCatalogTemplatesV2", "listGpuTypesV2", "listDataCentersV2"],
      ...["readSshKeysV2", "replaceSshKeysV2"],
    ],
  },
  commandLineV2Pods: {
    ...{ client: "command line", versions: ["autumn 2026"], how: "played" },
    file: "command-line-v2-pods.test.ts",
    calls: [
      ...[...each("create read update delete", "PodV2"), "listPodsV2", "actOnPodV2"],
      ...["streamWorkerLogsV2", "createNetworkVolumeV2", "listCpuTypesV2"],
    ],
  },
  mcpBefore: {
    ...{ client: "MCP server", versions: ["before 4.0.0"], how: "played" },
    file: "mcp-server.test.ts",
    calls: [
      ...["run", "runsync", "status", "stream", "health"],
      ...["createTemplate", "listTemplates", "listRegistryAuths"],
      ...[...each("create read update", "Endpoint"), "listEndpoints"],
      ...[...each("create start stop restart", "Pod"), "listPods"],
      ...["createNetworkVolume", "listNetworkVolumes", "deleteNetworkVolume"],
    ],
  },
  mcpGraphql: {
    ...{ client: "MCP server", versions: ["4.0.0"], how: "played" },
    ...{ file: "mcp-graphql.test.ts" },
    calls: ["graphql.allAiApiPublicConfigs", "graphql.gpuTypes", "graphql.myself"],
  },
  mcp: {
    ...{ client: "MCP server", versions: ["4.0.0"], how: "run", file: "mcp-server-4.test.ts" },
    calls: [
      ...[...JOBS, "retry"],
      ...[...each("create read update delete", "EndpointV2"), "listEndpointsV2"],
      ...["listWorkersV2", "streamWorkerLogsV2", "listReleasesV2"],
      ...[...each("create read update delete", "TemplateV2"), "listTemplatesV2"],
      ...[...each("create read update delete", "PodV2"), "listPodsV2", "actOnPodV2"],
      ...[...each("create read update delete", "NetworkVolumeV2"), "listNetworkVolumesV2"],
      ...[...each("create read delete", "RegistryV2"), "listRegistriesV2", "streamPodLogsV2"],
      ...["listGpuTypesV2", "readGpuTypeV2", "listCpuTypesV2", "readCpuTypeV2"],
      ...["listDataCentersV2", "readDataCenterV2", "listCatalogTemplatesV2"],
      ...each("All Pods Serverless PublicEndpoints NetworkVolumes Clusters", "V2").map(
        (what) => `bill${what}`,
      ),
      ...["readSshKeysV2", "replaceSshKeysV2"],
      ...["listBuildsV2", "listClustersV2", "listDelegationsV2"],
    ],
  },
  terraform: {
    ...{ client: "Terraform", versions: ["the community's"], how: "played" },
    file: "terraform.test.ts",
    calls: [
      ...[...each("create update delete start stop", "Pod"), "listPods"],
      ...each("create read update delete", "Endpoint"),
      ...each("create update delete", "NetworkVolume"),
      ...["createTemplate", "listTemplates", "billPods"],
    ],
  },
  terraformV2: {
    ...{ client: "Terraform", versions: ["the live service's"], how: "played" },
    file: "terraform-v2.test.ts",
    calls: [
      ...each("create read update delete", "EndpointV2"),
      ...each("create read update delete", "TemplateV2"),
      ...[...each("create read delete", "PodV2"), "listGpuTypesV2"],
    ],
  },
} as const satisfies Readonly<Record<string, Play>>;
