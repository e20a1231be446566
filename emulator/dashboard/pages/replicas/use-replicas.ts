/** The emulators that share the store, asked for again and again: nothing tells when one comes or goes. */
import type { Replicas } from "../../service/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";

const EVERY_MS = 5_000;

export function useReplicas(): Reading<Replicas> {
  return useRead<"listReplicas">("emulator/replicas", { everyMs: EVERY_MS });
}
