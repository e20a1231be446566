/** `POST /pods/{id}/reset`: starts a pod anew with an empty container disk; its volume stays (live). */
import { podActionOperation } from "./act-on-pod.ts";

export const resetPod = podActionOperation("reset");
