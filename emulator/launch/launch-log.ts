/** Port: the log of launchers. Fields are data for machines; the message is for people. */
export interface LaunchLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
