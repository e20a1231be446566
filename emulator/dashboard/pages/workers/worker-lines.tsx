/** The newest log lines of a worker. The list follows its end until the user scrolls back. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { LogLines } from "../../components/log-lines.tsx";
import { Panel } from "../../components/panel.tsx";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";

/** Maximum distance from the end that counts as the end, px. */
const END_PX = 8;

export function WorkerLines({ worker }: { readonly worker: OperatedWorker }): JSX.Element {
  const { lines, endedAt } = worker;
  const list = useRef<HTMLOListElement>(null);
  const [isFollowed, setFollowed] = useState(true);
  const newest = `${lines.at(-1)?.at} ${lines.length}`;
  useLayoutEffect(() => {
    if (isFollowed) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [isFollowed, newest]);
  const scrolled = ({ currentTarget: box }: { readonly currentTarget: Element }) =>
    setFollowed(box.scrollHeight - box.scrollTop - box.clientHeight < END_PX);
  return (
    <Panel
      title="Newest lines"
      class="whole-width"
      actions={
        endedAt === undefined && (
          <Button isPressed={isFollowed} onPress={() => setFollowed(!isFollowed)}>
            Follow
          </Button>
        )
      }
    >
      {lines.length === 0 && <p class="quiet">It wrote none.</p>}
      {lines.length > 0 && <LogLines lines={lines} list={list} onScroll={scrolled} />}
    </Panel>
  );
}
