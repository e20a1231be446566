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
    const message = `${whose} keeps changes made over the management interface, although its file has other values: ${kept.join(", ")}`;
    log.info({ ...ids, fields: kept }, message);
  }
  if (overridden.length > 0) {
    const message = `changes of ${whose} made over the management interface were replaced by its newer file: ${overridden.join(", ")}`;
    log.warn({ ...ids, fields: overridden }, message);
  }
}
