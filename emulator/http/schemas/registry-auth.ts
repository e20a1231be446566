/** A container registry auth as the management interface answers it. */
import { z } from "zod";
import { answered } from "./contract.ts";

export const registryAuthSchema = answered("ContainerRegistryAuth", {
  id: z.string(),
  name: z.string(),
});
