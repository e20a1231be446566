/** Port: where the live source says what a person should know. */

export interface LiveLog {
  write(
    level: "debug" | "info" | "warn" | "error",
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ): void;
}
