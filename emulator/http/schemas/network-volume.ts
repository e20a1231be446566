/** Schema of a network volume in the management interface. */
import { z } from "zod";
import { answered } from "./contract.ts";

export const networkVolumeSchema = answered("NetworkVolume", {
  id: z.string(),
  name: z.string(),
  size: z.int().meta({ description: "In GB." }),
  dataCenterId: z.string(),
});
