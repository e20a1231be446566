/** A moment of service time: short, and the whole of it for a pointer that rests there. */
import type { JSX } from "preact";
import { formatInstant } from "../format.ts";

export function Moment({ at }: { readonly at: string | undefined }): JSX.Element {
  if (at === undefined) return <span class="quiet">–</span>;
  return (
    <time class="number" dateTime={at} title={at}>
      {formatInstant(at)}
    </time>
  );
}
