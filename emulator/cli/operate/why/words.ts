/** Words that several sentences on a job share. */

const OUTCOMES: Readonly<Record<string, string>> = {
  running: "runs",
  completed: "completed",
  failed: "failed",
  crashed: "crashed",
  out_of_memory: "ran out of memory",
  timed_out: "timed out",
  lost: "lost its worker",
  handed_back: "was handed back",
  undelivered: "never arrived at its worker",
  interrupted: "was interrupted by the end of the emulator",
  cancelled: "was cancelled",
  damaged: "failed for damaged data",
};

/** The predicate of a sentence about a job or an attempt. */
export function outcomeWords(outcome: string): string {
  return OUTCOMES[outcome] ?? outcome;
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

const ORDINALS = ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh"];

export function ordinal(number: number): string {
  const known = ORDINALS[number];
  if (known !== undefined) return known;
  const isTeen = number % 100 > 10 && number % 100 < 14;
  const ending = isTeen ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

/** `1 job`, `2 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
