/** `sv-emulate clock`: shows service time and what is due next, advances it, or holds deletions. */
import { durationInWords } from "../../core/time/duration.ts";
import type { Paint } from "../terminal-text.ts";
import { type CommandCall, show } from "./command-call.ts";
import type { AnswerOf } from "./operations.ts";
import { factsText, tableText } from "./table.ts";
import { instantInWords } from "./terminal.ts";

type Clock = AnswerOf<"readClock"> | AnswerOf<"advanceClock">;

export async function clock(call: CommandCall): Promise<void> {
  const { client, subject, flags } = call;
  const by = flags.advance ?? subject;
  if (by === "hold") return holdDeletions(call);
  const answer =
    by === undefined
      ? await client.call("readClock", {})
      : await client.call("advanceClock", {}, { advance: by.replace(/^\+/u, "") });
  show(call, answer, (paint) => clockText(answer, paint));
}

async function holdDeletions(call: CommandCall): Promise<void> {
  const held = await call.client.call("holdDeletions", {});
  show(call, held, () =>
    held.heldBackMs === 0
      ? "nothing is held\n"
      : `held until the next start: what is due only because the clock was ${durationInWords(held.heldBackMs)} ahead\n`,
  );
}

function clockText(shown: Clock, paint: Paint): string {
  const { now, offsetMs, nextDueAt } = shown;
  const ahead = offsetMs === 0 ? "" : `  (${durationInWords(offsetMs)} ahead of real time)`;
  const next =
    nextDueAt === null ? "nothing" : `${instantInWords(nextDueAt)}  (in ${until(now, nextDueAt)})`;
  const facts = factsText(paint, {
    now: instantInWords(now) + ahead,
    "due next": next,
    "goes on": "settled" in shown && !shown.settled ? shown.underWay.join(", ") : "",
  });
  if (!("due" in shown) || shown.due.length === 0) return facts;
  const due = tableText(paint, shown.due, {
    due: ({ at }) => instantInWords(at),
    in: ({ at }) => until(now, at),
    what: ({ what }) => what,
    of: ({ id }) => id,
  });
  return `${facts}\n${due}`;
}

function until(now: string, at: string): string {
  return durationInWords(Math.max(0, Date.parse(at) - Date.parse(now)));
}
