/** Formats durations, instants, sizes and ids for people. */

/** At most two units: `412 ms`, `3.2 s`, `4 m 10 s`, `2 h 5 m`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_600_000) return twoParts(ms, 60_000, "m", 1_000, "s");
  if (ms < 86_400_000) return twoParts(ms, 3_600_000, "h", 60_000, "m");
  return twoParts(ms, 86_400_000, "d", 3_600_000, "h");
}

function twoParts(ms: number, large: number, one: string, small: number, other: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${one}${rest > 0 ? ` ${rest} ${other}` : ""}`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The end of the id, as in the log of the terminal: ids made at one time begin alike. */
export function shortId(id: string): string {
  return id.length > 14 ? `…${id.slice(-14)}` : id;
}

// Formatters are made once: making one takes as long as a hundred calls.
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });
const MINUTE = new Intl.DateTimeFormat(undefined, { timeStyle: "short", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** The time of day of an instant, ms since 1970: `14:03:59`, or `14:03` without its seconds. */
export function formatTime(at: number, hasSeconds = true): string {
  return (hasSeconds ? TIME : MINUTE).format(at);
}

/** The time alone, with the day before it if that is not today. */
export function formatInstant(iso: string | undefined, now = new Date()): string {
  if (iso === undefined) return "–";
  const at = new Date(iso);
  const time = TIME.format(at);
  return at.toDateString() === now.toDateString() ? time : `${DAY.format(at)} ${time}`;
}

/** Relative to `now`, ms since 1970, in whole seconds: `in 8 s`, `now`, `3 m 10 s ago`. */
export function formatFromNow(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  if (Math.abs(ms) < 1_000) return "now";
  const whole = formatDuration(Math.floor(Math.abs(ms) / 1_000) * 1_000).replace(".0 s", " s");
  return ms > 0 ? `in ${whole}` : `${whole} ago`;
}

export function plural(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
}
