/** All workers, or one of them. */
import type { JSX } from "preact";
import type { PageProps } from "../../route/route.ts";
import { WorkerPage } from "./worker-page.tsx";
import { WorkerTables } from "./worker-tables.tsx";

export function WorkersPage({ route: { parts, query } }: PageProps): JSX.Element {
  const [id] = parts;
  return id === undefined ? <WorkerTables query={query} /> : <WorkerPage key={id} id={id} />;
}
