/** A page that shows nothing yet. */
import type { JSX } from "preact";
import { Empty } from "../../components/states.tsx";

export function JobPage(): JSX.Element {
  return <Empty>Nothing here yet.</Empty>;
}
