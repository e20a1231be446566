/** The program of the user in an image. */

export interface UserProgram {
  /** Absolute path of the module. */
  readonly file: string;
  readonly kind: "handler" | "server";
}
