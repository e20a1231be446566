/** Input types of GraphQL, by the names that clients use for their variables (live). */
import { ENDPOINT_FIELDS } from "../../../../core/resources/endpoints/endpoint-fields.ts";
import {
  CONTAINER_FIELDS,
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
  VOLUME_FIELDS,
} from "../../../../core/resources/templates/template-fields.ts";
import { inputFields } from "../fields.ts";

const OF_ANY_POD = `
  name: String
  ${inputFields({ ...CONTAINER_FIELDS, ...VOLUME_FIELDS })}
  templateId: String
  cloudType: Word
  dataCenterId: String
  countryCode: String
  supportPublicIp: Boolean
  minDownload: Int
  minUpload: Int
  compliance: Words
  networkVolumeId: String
  dockerArgs: String
  startSsh: Boolean
  startJupyter: Boolean
  stopAfter: String
  terminateAfter: String
`;

/** Every field is optional: the use case checks combinations and values. `Words` are a list, or one text with commas. */
export const INPUT_TYPES = `
input KeyValueInput {
  key: String
  value: String
}

input GpuTypeFilter {
  id: String
}

input GpuLowestPriceInput {
  gpuCount: Int
  minDisk: Int
  minMemoryInGb: Int
  minVcpuCount: Int
  minDownload: Int
  minUpload: Int
  totalDisk: Int
  secureCloud: Boolean
  supportPublicIp: Boolean
  globalNetwork: Boolean
  dataCenterId: String
  countryCode: String
  cudaVersion: String
  minCudaVersion: String
  allowedCudaVersions: Words
  compliance: Words
}

input PodFilter {
  podId: String
}

input PodTemplateInput {
  isRunpod: Boolean
}

input PodFindAndDeployOnDemandInput {
  gpuTypeId: String
  gpuCount: Int
  minVcpuCount: Int
  minMemoryInGb: Int
  minCudaVersion: String
  allowedCudaVersions: Words
  ${OF_ANY_POD}
}

input deployCpuPodInput {
  instanceId: String
  ${OF_ANY_POD}
}

input PodStopInput {
  podId: String!
}

input PodResumeInput {
  podId: String!
  gpuCount: Int
}

input PodTerminateInput {
  podId: String!
}

input SaveTemplateInput {
  id: String
  ${inputFields(TEMPLATE_FIELDS)}
  ${inputFields(NEWER_TEMPLATE_FIELDS)}
  dockerArgs: String
  portsConfig: [PortConfigInput]
  advancedStart: Boolean
  startScript: String
}

input PortConfigInput {
  port: String
  name: String
}

input EndpointInput {
  id: String
  ${inputFields(ENDPOINT_FIELDS)}
  template: EndpointTemplateInput
  hubReleaseId: String
  gpuIds: String
  instanceIds: [String]
  networkVolumeIds: [EndpointNetworkVolumeInput]
  modelReferences: [String]
  compliance: Words
}

input EndpointTemplateInput {
  name: String
  ${inputFields(CONTAINER_FIELDS)}
  dockerArgs: String
  startScript: String
}

input EndpointNetworkVolumeInput {
  networkVolumeId: String
  dataCenterId: String
}

input UpdateEndpointTemplateInput {
  endpointId: String!
  templateId: String!
}

input SaveRegistryAuthInput {
  name: String
  username: String
  password: String
}

input UpdateRegistryAuthInput {
  id: String!
  username: String
  password: String
}

input UpdateUserSettingsInput {
  pubKey: String
}
`;
