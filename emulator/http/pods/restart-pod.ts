/** `POST /pods/{id}/restart`: starts a pod anew (live). */
import { podActionOperation } from "./act-on-pod.ts";

export const restartPod = podActionOperation("restart");
