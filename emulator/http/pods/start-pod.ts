/** `POST /pods/{id}/start`: starts a pod that was stopped; one that runs goes on (live). */
import { podActionOperation } from "./act-on-pod.ts";

export const startPod = podActionOperation("start");
