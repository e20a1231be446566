/** Fields and output types of GraphQL (live). */
import { ENDPOINT_FIELDS } from "../../../../core/resources/endpoints/endpoint-fields.ts";
import {
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
} from "../../../../core/resources/templates/template-fields.ts";
import { outputFields } from "../fields.ts";

/**
 * Scalars of our own. Enums may be written as texts, and large whole numbers are allowed. These scalars accept any value, and
 * the use case checks it.
 */
export const OUTPUT_TYPES = `
scalar Word
scalar Words
scalar Whole
scalar Nothing

type Query {
  myself: User
  gpuTypes(input: GpuTypeFilter): [GpuType]
  dataCenters: [DataCenter]
  serverlessGpuPools: [ServerlessGpuPool]
  allAiApiPublicConfigs: [AiApiPublicConfig]
  pod(input: PodFilter): Pod
  podTemplates(input: PodTemplateInput): [PodTemplate]
  podTemplate(id: String!): PodTemplate
}

type Mutation {
  podFindAndDeployOnDemand(input: PodFindAndDeployOnDemandInput): Pod
  deployCpuPod(input: deployCpuPodInput): Pod
  podStop(input: PodStopInput!): Pod
  podResume(input: PodResumeInput!): Pod
  podTerminate(input: PodTerminateInput!): Nothing
  saveTemplate(input: SaveTemplateInput): PodTemplate
  deleteTemplate(templateName: String!): Nothing
  saveEndpoint(input: EndpointInput!): Endpoint
  updateEndpointTemplate(input: UpdateEndpointTemplateInput): Endpoint
  deleteEndpoint(id: String!): Nothing
  saveRegistryAuth(input: SaveRegistryAuthInput): RegistryAuth
  updateRegistryAuth(input: UpdateRegistryAuthInput): RegistryAuth
  deleteRegistryAuth(registryAuthId: String!): Nothing
  updateUserSettings(input: UpdateUserSettingsInput): User
}

type User {
  id: ID
  email: String
  pubKey: String
  clientBalance: Float
  currentSpendPerHr: Float
  spendLimit: Float
  notifyPodsStale: Boolean
  notifyPodsGeneral: Boolean
  notifyLowBalance: Boolean
  serverlessDiscount: ServerlessDiscount
  networkVolumes: [NetworkVolume]
  pods: [Pod]
  endpoints: [Endpoint]
  endpoint(id: String!): Endpoint
  podTemplates: [PodTemplate]
}

type ServerlessDiscount {
  discountFactor: Float
  type: String
  expirationDate: String
}

type NetworkVolume {
  id: ID
  name: String
  size: Whole
  dataCenterId: String
}

type RegistryAuth {
  id: ID
  name: String
}

type KeyValue {
  key: String
  value: String
}

type GpuType {
  id: ID
  displayName: String
  manufacturer: String
  memoryInGb: Whole
  cudaCores: Whole
  secureCloud: Boolean
  communityCloud: Boolean
  securePrice: Float
  communityPrice: Float
  oneWeekPrice: Float
  oneMonthPrice: Float
  threeMonthPrice: Float
  communitySpotPrice: Float
  secureSpotPrice: Float
  maxGpuCount: Whole
  lowestPrice(input: GpuLowestPriceInput): LowestPrice
}

type LowestPrice {
  gpuName: String
  gpuTypeId: String
  minimumBidPrice: Float
  uninterruptablePrice: Float
  stockStatus: String
  minMemory: Whole
  minVcpu: Whole
  gpuTypeCudaVersions: [GpuTypeCudaVersion]
}

type GpuTypeCudaVersion {
  cudaVersion: String
  availability: String
}

type DataCenter {
  id: ID
  name: String
  location: String
  gpuAvailability: [GpuAvailability]
}

type GpuAvailability {
  gpuTypeId: String
  displayName: String
  stockStatus: String
}

type ServerlessGpuPool {
  id: ID
  gpuTypeIds: [String]
}

type AiApiPublicConfig {
  id: ID
  aiApiId: String
  modelName: String
  displayName: String
  description: String
  metadata: String
  isLive: Boolean
  createdAt: String
  updatedAt: String
}

type Pod {
  id: ID
  name: String
  imageName: String
  templateId: String
  desiredStatus: String
  lastStatusChange: String
  podType: String
  costPerHr: Float
  containerDiskInGb: Whole
  volumeInGb: Whole
  volumeMountPath: String
  dockerArgs: String
  dockerId: String
  env: [String]
  gpuCount: Whole
  vcpuCount: Whole
  memoryInGb: Whole
  machineId: String
  port: Whole
  ports: String
  uptimeSeconds: Whole
  machine: PodMachine
  runtime: PodRuntime
}

type PodMachine {
  podHostId: String
  gpuDisplayName: String
  gpuAvailable: Whole
  location: String
  maintenanceStart: String
  maintenanceEnd: String
  maintenanceNote: String
}

type PodRuntime {
  uptimeInSeconds: Whole
  ports: [PodPort]
  gpus: [PodGpu]
  container: PodContainer
}

type PodPort {
  ip: String
  isIpPublic: Boolean
  privatePort: Whole
  publicPort: Whole
  type: String
}

type PodGpu {
  id: ID
  gpuUtilPercent: Float
  memoryUtilPercent: Float
}

type PodContainer {
  cpuPercent: Float
  memoryPercent: Float
}

type PodTemplate {
  id: ID
  ${outputFields(TEMPLATE_FIELDS)}
  ${outputFields(NEWER_TEMPLATE_FIELDS)}
  dockerArgs: String
  portsConfig: [PortConfig]
  isRunpod: Boolean
  advancedStart: Boolean
  startScript: String
}

type PortConfig {
  port: String
  name: String
}

type Endpoint {
  id: ID
  ${outputFields(ENDPOINT_FIELDS)}
  computeType: String
  gpuIds: String
  instanceIds: [String]
  networkVolumeIds: [EndpointNetworkVolume]
  networkVolume: NetworkVolume
  workersStandby: Whole
  modelReferences: [String]
  env: [KeyValue]
  version: Whole
  createdAt: String
  userId: String
  aiKey: String
  pods: [EndpointWorker]
}

type EndpointNetworkVolume {
  networkVolumeId: String
  dataCenterId: String
}

type EndpointWorker {
  id: ID
  desiredStatus: String
}
`;
