/** A page that shows nothing yet. */
import type { JSX } from "preact";
import { Empty } from "../../components/states.tsx";

export function PlaygroundPage(): JSX.Element {
  return <Empty>Nothing here yet.</Empty>;
}
