/** What happened during the last advance of the clock. */
import type { JSX } from "preact";
import { formatDuration, plural, shortId } from "../../format.ts";
import { Sentences } from "../../components/dialog.tsx";
import { Panel } from "../../components/panel.tsx";
import { Badge } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import { type Happening, happenings } from "./advance-events.ts";
import type { Advanced } from "./use-advance.ts";

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
