/** Shows the progress of `sv-emulate build`: with bars in a terminal, in lines elsewhere. */
import type { BuildReport } from "../../../image/build-images.ts";
import { Bars } from "./bars.ts";
import { Lines } from "./lines.ts";

export interface BuildView extends BuildReport {
  /** Takes away what is not to stay. To be called before anything else is written, also after a failure. Idempotent. */
  close(): void;
  /** Says at the end what was made. */
  sumUp(): void;
}

interface ViewOptions {
  readonly stream: NodeJS.WriteStream;
  readonly colors: boolean;
  /** A terminal that only takes text, one line after another. Default: by the variable `TERM`. */
  readonly isDumb?: boolean;
}

export function openBuildView(options: ViewOptions): BuildView {
  const { stream, colors, isDumb = process.env["TERM"] === "dumb" } = options;
  return stream.isTTY && !isDumb ? new Bars(stream, colors) : new Lines(stream);
}
