/** The keys and what they do. */
import type { JSX } from "preact";
import { Dialog } from "../components/dialog.tsx";
import { PAGES } from "./pages.ts";

const EVERYWHERE = [
  ["Ctrl K", "go to a page, a job or an endpoint"],
  ["?", "this help"],
  ["Esc", "close what is open"],
] as const;

const IN_LISTS = [
  ["j  k", "down, up"],
  ["Enter", "open"],
  ["x", "select"],
  ["Shift X", "select all that match"],
  ["f", "to the query"],
  ["Space", "pause, continue"],
  ["c", "cancel selected jobs"],
  ["r", "retry selected jobs"],
] as const;

const OF_ENDPOINT = [
  ["[  ]", "earlier, later"],
  ["+  -", "zoom in, out"],
] as const;

export function KeyboardHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const pages = PAGES.flatMap(({ key, title }) =>
    key === undefined ? [] : [[`g ${key}`, title] as const],
  );
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="key-tables">
        <KeyTable title="Everywhere" keys={EVERYWHERE} />
        <KeyTable title="Pages" keys={pages} />
        <KeyTable title="Jobs" keys={IN_LISTS} />
        <KeyTable title="Endpoint" keys={OF_ENDPOINT} />
      </div>
    </Dialog>
  );
}

interface KeyTableProps {
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
}

function KeyTable({ title, keys }: KeyTableProps): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
