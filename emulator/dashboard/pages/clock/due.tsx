/** What happens next only because service time passes, and why. */
import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Empty } from "../../components/states.tsx";
import { formatFromNow } from "../../format/format.ts";
import { hrefTo } from "../../route/route.ts";
import type { Clock } from "../../../../runtime/protocol/generated/answers.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { around, type DueGroup, groupsOf, keepsRealTime, linkOf, stepMs } from "./due-labels.ts";

/** Maximum number of moments in an answer of the service. */
const MOST = 20;

interface DueProps {
  readonly due: Clock["due"];
  readonly isUnderWay: boolean;
  /** Undefined for a session that may only read. */
  readonly onStep: ((byMs: number) => void) | undefined;
}

export function Due({ due, ...steps }: DueProps): JSX.Element {
  const now = useServiceNow();
  if (due.length === 0) {
    return (
      <Panel title="What is due next">
        <Empty>Nothing: an advance of the clock changes nothing.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title={due.length < MOST ? "What is due next" : `What is due next: the first ${MOST}`}>
      <Records
        class="due"
        columns={columnsOf(now, steps)}
        rows={groupsOf(due)}
        keyOf={({ first: { at, what } }) => `${at} ${what}`}
      />
    </Panel>
  );
}

function columnsOf(
  now: number | undefined,
  { isUnderWay, onStep }: Omit<DueProps, "due">,
): readonly Column<DueGroup>[] {
  return [
    {
      head: "When",
      kind: "moment",
      cell: ({ first: { at } }) => now !== undefined && formatFromNow(at, now),
    },
    { head: "At", kind: "roomy", cell: ({ first: { at } }) => <Moment at={at} /> },
    {
      head: "What, and why",
      kind: "what",
      cell: ({ first, count }) => (
        <>
          <What due={first} />
          {count > 1 && <span class="quiet"> · and {count - 1} more like it</span>}
          {keepsRealTime(first) && <span class="quiet"> · keeps real time</span>}
        </>
      ),
    },
    {
      head: "",
      kind: "step",
      cell: ({ first }) =>
        onStep !== undefined &&
        now !== undefined &&
        !keepsRealTime(first) && (
          <Button
            kind="bare"
            icon="right"
            isDisabled={isUnderWay}
            label="Advance to this moment"
            onPress={() => onStep(stepMs(first.at, now))}
          />
        ),
    },
  ];
}

/** The sentence, with its name as a link. */
function What({ due }: { readonly due: DueGroup["first"] }): JSX.Element {
  const link = linkOf(due);
  if (link === undefined) return <>{due.what}</>;
  const [before, after] = around(due.what, link.named);
  const kind = link.named === due.endpointId ? "" : "mono";
  return (
    <>
      {before}
      <a class={kind} href={hrefTo(...link.to)} title={link.named}>
        {link.shown}
      </a>
      {after}
    </>
  );
}
