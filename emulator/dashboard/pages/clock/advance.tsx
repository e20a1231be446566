/** Advances the clock, and shows the events up to the new time. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Sentences } from "../../components/dialog.tsx";
import { Panel } from "../../components/panel.tsx";
import { Badge } from "../../components/status.tsx";
import { formatDuration, plural, shortId } from "../../format/format.ts";
import { hrefTo } from "../../route/route.ts";
import { call } from "../../service/call.ts";
import { onEvents } from "../../service/follow.ts";
import type { AdvancedClock } from "../../../../runtime/protocol/generated/answers.ts";
import type { ServiceEvent } from "../../state/service-event.ts";
import { complain } from "../../state/store.ts";
import { type Happening, happenings } from "./advance-events.ts";

const PAGES = {
  job: "job",
  worker: "workers",
  webhook: "webhooks",
  scale: "endpoint",
} as const satisfies Record<Happening["kind"], string>;

export function AdvanceResult({
  advanced: { by, answer, events },
}: {
  readonly advanced: Advanced;
}): JSX.Element {
  const found = happenings(events);
  return (
    <Panel
      title={`During the advance by ${typeof by === "number" ? formatDuration(by) : by}`}
      actions={<State answer={answer} />}
    >
      {answer === undefined && (
        <p class="quiet" role="status">
          Under way: due moments happen in their order …
        </p>
      )}
      {answer !== undefined && found.length === 0 && <p class="quiet">Nothing.</p>}
      <ul class="happenings stack">
        {found.map((each) => (
          <li key={each.what}>
            <b class="number">{each.count.toLocaleString("en")}</b>
            <span>
              {each.what} <Examples of={each} />
            </span>
          </li>
        ))}
      </ul>
      {answer !== undefined && answer.underWay.length > 0 && (
        <>
          <p>After 30 s of real time, {plural(answer.underWay.length, "thing")} went on:</p>
          <Sentences of={answer.underWay} />
        </>
      )}
    </Panel>
  );
}

function Examples({ of }: { readonly of: Happening }): JSX.Element {
  const { kind, examples, hasMore, isGone } = of;
  return (
    <span class="examples quiet">
      {examples.map(({ id }, index) =>
        isGone ? (
          <span key={index} class="mono" title={id}>
            {shortId(id)}{" "}
          </span>
        ) : (
          <a key={index} class="mono" href={hrefTo(PAGES[kind], [id])} title={id}>
            {shortId(id)}
          </a>
        ),
      )}
      {hasMore && <span>…</span>}
    </span>
  );
}

function State({ answer }: Pick<Advanced, "answer">): JSX.Element {
  if (answer === undefined) return <Badge icon="running" word="under way" tone="busy" />;
  if (!answer.settled) return <Badge icon="warning" word="not settled" tone="warn" />;
  const word = `settled, ${formatDuration(answer.offsetMs)} ahead`;
  return <Badge icon="done" word={word} tone="good" />;
}

export interface Advanced {
  /** As requested: `30m`, or ms. */
  readonly by: string | number;
  /** Undefined until the advance ends. */
  readonly answer: AdvancedClock | undefined;
  readonly events: readonly ServiceEvent[];
}

const MOST_EVENTS = 20_000;

/** The last advance, and a function for the next one. Some events of an advance come after its answer. */
export function useAdvance(): readonly [Advanced | undefined, (by: string | number) => void] {
  const [advanced, setAdvanced] = useState<Advanced | undefined>(undefined);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);
  const advance = (by: string | number) => {
    const events: ServiceEvent[] = [];
    let answer: AdvancedClock | undefined;
    const show = () => setAdvanced({ by, answer, events: [...events] });
    stop.current();
    stop.current = onEvents((came) => {
      const ofIt = came.filter(({ at }) => answer === undefined || Date.parse(at) <= answer.nowMs);
      if (ofIt.length === 0 || events.length >= MOST_EVENTS) return;
      events.push(...ofIt);
      if (answer !== undefined) show();
    });
    show();
    const body = { advance: by };
    call<"advanceClock">("emulator/clock", { method: "POST", body }).then(
      (settled) => {
        answer = settled;
        show();
      },
      (error: unknown) => {
        stop.current();
        setAdvanced(undefined);
        complain(error);
      },
    );
  };
  return [advanced, advance];
}
