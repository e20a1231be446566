/** What happens next by the passing of service time alone, and why. */
import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { formatFromNow } from "../../format.ts";
import { Moment } from "../../components/moment.tsx";
import { Panel } from "../../components/panel.tsx";
import { Empty } from "../../components/states.tsx";
import { hrefTo } from "../../route/route.ts";
import type { Clock } from "../../service/generated/answers.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { around, type DueGroup, groupsOf, keepsRealTime, linkOf } from "./due-labels.ts";
import { stepMs } from "./duration-text.ts";

/** The service tells of no more. */
const MOST = 20;

interface DueProps {
  readonly due: Clock["due"];
  readonly isUnderWay: boolean;
  /** Undefined where nothing may be changed. */
  readonly onStep: ((byMs: number) => void) | undefined;
}

export function Due({ due, ...props }: DueProps): JSX.Element {
  const now = useServiceNow();
  if (due.length === 0) {
    return (
      <Panel title="What is due next">
        <Empty>Nothing: however far time is advanced, nothing happens by that.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title={due.length < MOST ? "What is due next" : `What is due next: the first ${MOST}`}>
      <div class="table-scroll">
        <table class="records due">
          <thead>
            <tr>
              <th>When</th>
              <th class="roomy">At</th>
              <th>What, and why</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {groupsOf(due).map((group) => (
              <DueRow
                key={`${group.first.at} ${group.first.what}`}
                {...{ group, now }}
                {...props}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

interface DueRowProps extends Omit<DueProps, "due"> {
  readonly group: DueGroup;
  readonly now: number | undefined;
}

function DueRow({ group: { first, count }, now, isUnderWay, onStep }: DueRowProps): JSX.Element {
  const isStep = onStep !== undefined && now !== undefined && !keepsRealTime(first);
  return (
    <tr>
      <td class="moment">{now !== undefined && formatFromNow(first.at, now)}</td>
      <td class="roomy">
        <Moment at={first.at} />
      </td>
      <td class="what">
        <What due={first} />
        {count > 1 && <span class="quiet"> · and {count - 1} more like it</span>}
        {keepsRealTime(first) && <span class="quiet"> · keeps real time</span>}
      </td>
      <td class="step">
        {isStep && (
          <Button
            kind="bare"
            icon="right"
            isDisabled={isUnderWay}
            label="Advance to this moment"
            onPress={() => onStep(stepMs(first.at, now))}
          />
        )}
      </td>
    </tr>
  );
}

/** The sentence, in which what is named is a link. */
function What({ due }: { readonly due: DueGroup["first"] }): JSX.Element {
  const link = linkOf(due);
  if (link === undefined) return <>{due.what}</>;
  const [before, after] = around(due.what, link.named);
  return (
    <>
      {before}
      <a
        class={link.named === due.endpointId ? "" : "mono"}
        href={hrefTo(...link.to)}
        title={link.named}
      >
        {link.shown}
      </a>
      {after}
    </>
  );
}
