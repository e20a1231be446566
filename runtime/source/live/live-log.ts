/** Port: the log of the live source. */

export interface LiveLog {
  write(
    level: "debug" | "info" | "warn" | "error",
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ): void;
}
