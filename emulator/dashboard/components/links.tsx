/** Links to what an id names: the end of the id, and the whole of it for a pointer that rests there. */
import type { JSX } from "preact";
import { hrefTo } from "../route/route.ts";
import { shortId } from "../format.ts";

interface LinkProps {
  readonly id: string;
}

export function JobLink({ id }: LinkProps): JSX.Element {
  return (
    <a class="mono id-link" href={hrefTo("job", [id])} title={id}>
      {shortId(id)}
    </a>
  );
}

export function WorkerLink({ id }: LinkProps): JSX.Element {
  return (
    <a class="mono id-link" href={hrefTo("workers", [id])} title={id}>
      {shortId(id)}
    </a>
  );
}

export function EndpointLink({ id }: LinkProps): JSX.Element {
  return (
    <a class="name-link" href={hrefTo("endpoint", [id])}>
      {id}
    </a>
  );
}
