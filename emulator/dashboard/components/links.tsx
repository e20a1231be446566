/** Links to jobs, workers and endpoints, and instants: short, with the whole value in a tooltip. */
import type { JSX } from "preact";
import { formatInstant, shortId } from "../format/format.ts";
import { hrefTo } from "../route/route.ts";

interface LinkProps {
  readonly id: string;
}

export function JobLink({ id }: LinkProps): JSX.Element {
  return <IdLink page="job" id={id} />;
}

export function WorkerLink({ id }: LinkProps): JSX.Element {
  return <IdLink page="workers" id={id} />;
}

function IdLink({ page, id }: LinkProps & { readonly page: string }): JSX.Element {
  return (
    <a class="mono id-link" href={hrefTo(page, [id])} title={id}>
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

export function Moment({ at }: { readonly at: string | undefined }): JSX.Element {
  if (at === undefined) return <span class="quiet">–</span>;
  return (
    <time class="number" dateTime={at} title={at}>
      {formatInstant(at)}
    </time>
  );
}
