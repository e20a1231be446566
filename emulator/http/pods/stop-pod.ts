/** `POST /pods/{id}/stop`: stops a pod; its volume stays (live). */
import { podActionOperation } from "./act-on-pod.ts";

export const stopPod = podActionOperation("stop");
