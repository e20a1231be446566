/** Logs where a file and a change over the management interface disagree. */
import type { EngineLog } from "../observe/engine-log.ts";

interface Disagreement {
  /** Fields that keep their value from the interface. */
  readonly kept: readonly string[];
  /** Fields in which the file replaced such a value. */
  readonly overridden: readonly string[];
}

/** @param whose subject of the log message, for example `the template "a"` */
export function logSettled(
  log: EngineLog,
  ids: Readonly<Record<string, string>>,
  whose: string,
  { kept, overridden }: Disagreement,
): void {
  if (kept.length > 0) {
    const message = `${whose} keeps what was changed over the management interface, though its file says otherwise: ${kept.join(", ")}`;
    log.info({ ...ids, fields: kept }, message);
  }
  if (overridden.length > 0) {
    const message = `what was changed of ${whose} over the management interface gave way to its file, which is newer: ${overridden.join(", ")}`;
    log.warn({ ...ids, fields: overridden }, message);
  }
}
