/** Schemas of the service clock. */
import { z } from "zod";
import { DUE_KINDS } from "../../core/time/due.ts";
import { answered, instant } from "./contract.ts";

const reading = {
  now: instant(),
  nowMs: z.int(),
  offsetMs: z.int().meta({ description: "Total time that the clock was advanced, ms." }),
  nextDueAt: instant().nullable().meta({
    description: "The next moment at which something is due; null: nothing is due.",
  }),
};

export const clockSchema = answered("Clock", {
  ...reading,
  due: z
    .array(
      z.strictObject({
        at: instant(),
        kind: z.enum(DUE_KINDS),
        what: z.string().meta({ description: "A sentence about the event and its cause." }),
        endpointId: z.string().optional(),
        id: z.string().optional().meta({ description: "Id of the job or the webhook delivery." }),
      }),
    )
    .meta({
      description: "The next due events, earliest first; at most 20.",
    }),
});

export const advancedClockSchema = answered("AdvancedClock", {
  ...reading,
  settled: z.boolean().meta({ description: "All work caused by the time is done." }),
  underWay: z.array(z.string()).meta({ description: "The work that still goes on." }),
});

export const heldClockSchema = answered("HeldClock", {
  ...reading,
  heldBackMs: z.int().meta({
    description:
      "Lead of the clock at the start, ms, during which nothing is deleted; 0: no deletion is held.",
  }),
});
