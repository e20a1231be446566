/** A network volume as the management interface answers it. */
import { z } from "zod";
import { answered } from "./contract.ts";

export const networkVolumeSchema = answered("NetworkVolume", {
  id: z.string(),
  name: z.string(),
  size: z.int().meta({ description: "In GB." }),
  dataCenterId: z.string(),
});
