/** Schemas of the catalog in the second version of REST (live). */
import { z } from "zod";
import { REGIONS } from "../../../core/catalog/data-centers.ts";
import { AVAILABILITIES } from "../../../core/catalog/gpu-availability.ts";
import { VOLUME_TYPES } from "../../../core/resources/network-volumes/network-volume.ts";
import { answered } from "../../schemas/contract.ts";
import { COMPLIANCE } from "./rest-v2-query.ts";

const availability = z.enum(AVAILABILITIES);
const dollars = z.number().min(0).meta({ description: "US dollars an hour." });

const here = z.array(
  answered("CatalogAvailability", { id: z.string(), name: z.string(), availability }),
);

export const gpuTypeSchema = answered("GpuType", {
  id: z.string(),
  name: z.string(),
  pool: z.string().nullable(),
  manufacturer: z.enum(["NVIDIA", "AMD", "UNKNOWN"]),
  memory: z.int().min(0).meta({ description: "In GB; 0 where it is not known." }),
  secure: z.boolean(),
  community: z.boolean(),
  price: z.strictObject({ secure: dollars, community: dollars, serverless: dollars }),
  maxCount: z.strictObject({ secure: z.int().min(0), community: z.int().min(0) }),
  availability: availability.optional(),
  dataCenters: here.optional(),
  cudaVersions: z.array(z.strictObject({ version: z.string(), available: z.boolean() })).optional(),
});

export const cpuTypeSchema = answered("CpuType", {
  id: z.string(),
  name: z.string(),
  group: z.string(),
  vcpu: z.strictObject({ min: z.int(), max: z.int() }),
  ramGbPerVcpu: z.number(),
  price: z.strictObject({ securePerVcpu: dollars, serverlessPerVcpu: dollars }),
  availability: availability.optional(),
  dataCenters: here.optional(),
});

export const dataCenterSchema = answered("DataCenter", {
  id: z.string(),
  name: z.string(),
  region: z.enum(REGIONS),
  globalNetwork: z.boolean(),
  networkVolumeTypes: z.array(z.enum(VOLUME_TYPES)),
  compliance: z.array(z.enum(COMPLIANCE)),
  gpuAvailability: here.optional(),
  cpuAvailability: here.optional(),
});
