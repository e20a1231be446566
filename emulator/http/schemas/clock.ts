/** The clock as the emulator's own operations answer it. */
import { z } from "zod";
import { DUE_KINDS } from "../../core/time/due.ts";
import { answered, instant } from "./contract.ts";

const reading = {
  now: instant(),
  nowMs: z.int(),
  offsetMs: z.int().meta({ description: "By how much the clock has been advanced in all." }),
  nextDueAt: instant().nullable().meta({
    description: "Nothing happens before by the passing of time alone; null: nothing is due.",
  }),
};

export const clockSchema = answered("Clock", {
  ...reading,
  due: z
    .array(
      z.strictObject({
        at: instant(),
        kind: z.enum(DUE_KINDS),
        what: z.string().meta({ description: "What happens then, and why: a sentence." }),
        endpointId: z.string().optional(),
        id: z.string().optional().meta({ description: "Of the job or the webhook delivery." }),
      }),
    )
    .meta({
      description: "What happens next by the passing of time alone, the next first: 20 at most.",
    }),
});

export const advancedClockSchema = answered("AdvancedClock", {
  ...reading,
  settled: z.boolean().meta({ description: "All work that time set off is done." }),
  underWay: z.array(z.string()).meta({ description: "What still goes on if it is not." }),
});

export const heldClockSchema = answered("HeldClock", {
  ...reading,
  heldBackMs: z.int().meta({
    description:
      "By how much the clock was ahead at the start, for which nothing is deleted; 0: nothing is held.",
  }),
});
