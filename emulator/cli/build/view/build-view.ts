/** Shows the progress of `sv-emulate build`: with bars in a terminal, in lines elsewhere. */
import type { BuildReport } from "../../../image/build-images.ts";
import { Bars } from "./bars.ts";
import { Lines } from "./lines.ts";

export interface BuildView extends BuildReport {
  /** Removes the bar. Call it before other output, also after a failure. Idempotent. */
  close(): void;
  /** Writes a summary of the images. */
  sumUp(): void;
}

interface ViewOptions {
  readonly stream: NodeJS.WriteStream;
  readonly colors: boolean;
  /** A terminal without cursor movement. Default: from the variable `TERM`. */
  readonly isDumb?: boolean;
}

export function openBuildView(options: ViewOptions): BuildView {
  const { stream, colors, isDumb = process.env["TERM"] === "dumb" } = options;
  return stream.isTTY && !isDumb ? new Bars(stream, colors) : new Lines(stream);
}
