/** Bodies that create or change a pod, checked (source: live). */
import { z } from "zod";
import { POD_CPU_FLAVORS } from "../catalog/cpu-flavors.ts";
import { DATA_CENTER } from "../catalog/data-centers.ts";
import { gpuType } from "../workers/gpu-type.ts";
import { CUDA_VERSION } from "../workers/cuda-requirement.ts";
import {
  arrayOf,
  fields,
  flag,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  readFields,
  text,
  textsOrCommas,
} from "../input/input-fields.ts";
import { CLOUD_TYPES, type Pod, PRIORITIES } from "./pod.ts";
import { COMPUTE_TYPES } from "../resources/endpoints/endpoint.ts";
import { invalidRequest } from "../service-error.ts";
import { changeShape } from "../resources/fields.ts";
import { CONTAINER_FIELDS, VOLUME_FIELDS } from "../resources/templates/template-fields.ts";

const COUNTRY = /^[A-Z]{2}$/;
const DEFAULT_NAME = "my pod";

/** The fault of `imageName`, as a sentence without its subject. */
export const NO_IMAGE = "is required, unless templateId names a template with one";

const changeable = {
  ...changeShape({ ...CONTAINER_FIELDS, ...VOLUME_FIELDS }),
  containerDiskInGb: CONTAINER_FIELDS.containerDiskInGb.schema.nullable(),
  volumeInGb: VOLUME_FIELDS.volumeInGb.schema.nullable(),
  name: nonEmptyText(NAME_MAX_CHARACTERS),
  locked: flag(),
  globalNetworking: flag(),
};

/** Fields that are fixed with the pod's machine. */
const fixed = {
  templateId: text(),
  networkVolumeId: text(),
  interruptible: flag(),
  computeType: oneOf(COMPUTE_TYPES),
  cloudType: oneOf(CLOUD_TYPES),
  gpuTypeIds: arrayOf(gpuType),
  gpuTypePriority: oneOf(PRIORITIES),
  gpuCount: integer(1),
  cpuFlavorIds: arrayOf(oneOf(POD_CPU_FLAVORS)),
  cpuFlavorPriority: oneOf(PRIORITIES),
  vcpuCount: integer(1),
  dataCenterIds: textsOrCommas(DATA_CENTER, "a data centre like EU-RO-1"),
  dataCenterPriority: oneOf(PRIORITIES),
  countryCodes: textsOrCommas(COUNTRY, "a country code like SE"),
  allowedCudaVersions: textsOrCommas(CUDA_VERSION, "a version like 12.8"),
  minRAMPerGPU: integer(0, undefined, " (GB)"),
  minVCPUPerGPU: integer(0),
  minDiskBandwidthMBps: z.number().min(0),
  minDownloadMbps: z.number().min(0),
  minUploadMbps: z.number().min(0),
  supportPublicIp: flag(),
};

const creation = fields({ ...changeable, ...fixed })
  .partial()
  .extend({
    name: changeable.name.default(DEFAULT_NAME),
    templateId: fixed.templateId.nullable().optional(),
    locked: changeable.locked.default(false),
    globalNetworking: changeable.globalNetworking.default(false),
    interruptible: fixed.interruptible.default(false),
    computeType: fixed.computeType.default("GPU"),
    cloudType: fixed.cloudType.default("SECURE"),
    gpuTypeIds: fixed.gpuTypeIds.default([]),
    gpuTypePriority: fixed.gpuTypePriority.default("availability"),
    gpuCount: fixed.gpuCount.default(1),
    cpuFlavorPriority: fixed.cpuFlavorPriority.default("availability"),
    vcpuCount: fixed.vcpuCount.default(2),
    dataCenterPriority: fixed.dataCenterPriority.default("availability"),
    minRAMPerGPU: fixed.minRAMPerGPU.default(8),
    minVCPUPerGPU: fixed.minVCPUPerGPU.default(2),
  });

const FIELD_NAMES = Object.keys(creation.shape);

/** The body of `POST /pods`. Without a template it has to name the image. */
export const podInputSchema = creation
  .superRefine(({ imageName, templateId }, context) => {
    if (imageName !== undefined || (templateId ?? "") !== "") return;
    context.addIssue({ code: "custom", path: ["imageName"], message: NO_IMAGE });
  })
  .meta({ id: "PodInput" });

export const podChangesSchema = fields(changeable).partial().meta({ id: "PodChanges" });

/** Adds the fields that only other dialects have. */
export type PodInput = z.output<typeof podInputSchema> & Pick<Pod, "dockerArgs" | "minCudaVersion">;
export type PodChanges = z.output<typeof podChangesSchema> & Pick<Pod, "dockerArgs">;

/** @throws ServiceError `invalid_request` */
export function readPodInput(value: unknown): PodInput {
  return readFields(podInputSchema, FIELD_NAMES, value);
}

/** @throws ServiceError `invalid_request` */
export function readPodChanges(value: unknown): PodChanges {
  const given = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const settled = given.filter((field) => Object.hasOwn(fixed, field));
  if (settled.length > 0) {
    throw invalidRequest(
      settled.map((field) => `${field} is set at creation and cannot be changed`),
    );
  }
  return readFields(podChangesSchema, FIELD_NAMES, value);
}
