/** `POST /pods/{id}/reset`: starts a pod anew with empty disks (live). */
import { podActionOperation } from "./act-on-pod.ts";

export const resetPod = podActionOperation("reset");
