/** The newest lines that a worker wrote; followed at the end until one scrolls back. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { hrefTo } from "../../route/route.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";

/** So near to the end counts as there, px. */
const END_PX = 8;

export function WorkerLines({
  worker: { lines, endedAt },
}: {
  readonly worker: OperatedWorker;
}): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const [isFollowed, setFollowed] = useState(true);
  const newest = `${lines.at(-1)?.at} ${lines.length}`;
  useLayoutEffect(() => {
    if (isFollowed) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [isFollowed, newest]);
  const scrolled = ({
    currentTarget: { scrollTop, scrollHeight, clientHeight },
  }: {
    readonly currentTarget: Element;
  }) => setFollowed(scrollHeight - scrollTop - clientHeight < END_PX);
  return (
    <Panel
      title="Newest lines"
      class="lines-panel"
      actions={
        endedAt === undefined && (
          <Button isPressed={isFollowed} onPress={() => setFollowed(!isFollowed)}>
            Follow
          </Button>
        )
      }
    >
      {lines.length === 0 && <p class="quiet">It wrote none.</p>}
      {lines.length > 0 && (
        <ol ref={list} class="log-lines" tabIndex={0} aria-label="Lines" onScroll={scrolled}>
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Line({
  line: { at, level, message, jobId },
}: {
  readonly line: OperatedWorker["lines"][number];
}): JSX.Element {
  return (
    <li class={level}>
      <time class="quiet" dateTime={at} title={at}>
        {new Date(at).toLocaleTimeString(undefined, { hour12: false })}
      </time>{" "}
      {level !== "info" && <b>{level} </b>}
      <span>{message}</span>
      {jobId !== undefined && (
        <>
          {" "}
          <a href={hrefTo("job", [jobId])} title={jobId}>
            job
          </a>
        </>
      )}
    </li>
  );
}
