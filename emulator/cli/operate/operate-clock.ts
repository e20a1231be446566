/** `sv-emulate clock`: shows service time and what is due next, and advances it. */
import { clockSchema, type ShownClock } from "./answers.ts";
import { type OperationCall, show } from "./operation-call.ts";
import { factsText, tableText } from "./table.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { instantInWords, type Paint, painter, plain } from "./terminal.ts";

export async function operateClock(call: OperationCall): Promise<void> {
  const { client, subject, flags, terminal } = call;
  const by = flags.advance ?? subject;
  const path = "/emulator/clock";
  if (by === "hold") {
    const held = await client.post(`${path}/hold`, clockSchema, "");
    return show(call, held, () => heldText(held));
  }
  const clock =
    by === undefined
      ? await client.get(path, clockSchema)
      : await client.post(path, clockSchema, JSON.stringify({ advance: by.replace(/^\+/u, "") }));
  show(call, clock, () => clockText(clock, painter(terminal)));
}

function heldText({ heldBackMs = 0 }: ShownClock): string {
  return heldBackMs === 0
    ? "nothing is held\n"
    : `held until the next start: what is due only because the clock was ${durationInWords(heldBackMs)} ahead\n`;
}

function clockText(clock: ShownClock, paint: Paint): string {
  const { now, offsetMs, nextDueAt, settled, underWay = [], due = [] } = clock;
  const ahead = offsetMs === 0 ? "" : `  (${durationInWords(offsetMs)} ahead of real time)`;
  const next =
    nextDueAt === null ? "nothing" : `${instantInWords(nextDueAt)}  (in ${until(now, nextDueAt)})`;
  const facts = factsText(paint, [
    ["now", instantInWords(now) + ahead],
    ["due next", next],
    ["goes on", settled === false ? underWay.map(plain).join(", ") : ""],
  ]);
  if (due.length === 0) return facts;
  const rows = due.map(({ at, what, id = "" }) => [
    instantInWords(at),
    until(now, at),
    plain(what),
    plain(id),
  ]);
  return `${facts}\n${tableText(["due", "in", "what", "of"], rows)}`;
}

function until(now: string, at: string): string {
  return durationInWords(Math.max(0, Date.parse(at) - Date.parse(now)));
}
