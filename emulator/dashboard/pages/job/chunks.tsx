/** The chunks of a job as they stream: texts joined to one text, others one below the other. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { formatDuration, plural } from "../../format/format.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { Panel } from "../../components/panel.tsx";
import { Empty } from "../../components/states.tsx";
import { readRawJson } from "../../json/raw-json.ts";
import { MOST_CHUNKS } from "../../state/chunk-list.ts";
import { usePart } from "../../state/store.ts";
import { followChunks } from "./chunk-loader.ts";
import { joinedText } from "./chunk-text.ts";

interface ChunksProps {
  readonly jobId: string;
  /** Shows the panel also before the first chunk. */
  readonly isAlwaysShown?: boolean;
}

/** Maximum chunks shown one below the other: the newest. */
const MOST_SHOWN = 100;

export function Chunks({ jobId, isAlwaysShown = false }: ChunksProps): JSX.Element | null {
  useEffect(() => followChunks(jobId), [jobId]);
  const list = usePart((state) => state.chunks);
  const [isRaw, setRaw] = useState(false);
  const { chunks, count, isComplete, firstAfterMs } = list;
  if (count === 0 && !isAlwaysShown) return null;
  const text = isRaw ? undefined : joinedText(chunks);
  return (
    <Panel
      title={isComplete ? "Stream" : "Stream …"}
      actions={
        <>
          <span class="quiet number">
            {plural(count, "chunk")}
            {firstAfterMs !== undefined && `, the first after ${formatDuration(firstAfterMs)}`}
          </span>
          <Button isPressed={isRaw} onPress={() => setRaw(!isRaw)}>
            One by one
          </Button>
        </>
      }
    >
      {count === 0 && <Empty>{isComplete ? "The stream was empty." : "No chunk yet."}</Empty>}
      {count > MOST_CHUNKS && (
        <p class="quiet">The first chunk, and the newest {MOST_CHUNKS - 1}.</p>
      )}
      {text === undefined ? (
        <ol class="chunks stack" start={Math.max(0, count - MOST_SHOWN)}>
          {chunks.slice(-MOST_SHOWN).map(({ index, json }) => (
            <li key={index}>
              <span class="quiet number">{index}</span>
              <ChunkValue json={json} />
            </li>
          ))}
        </ol>
      ) : (
        count > 0 && <StreamText text={text} />
      )}
    </Panel>
  );
}

/** Follows its end until the user scrolls back. */
function StreamText({ text }: { readonly text: string }): JSX.Element {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [text]);
  const look = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current ?? document.body;
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - 24;
  };
  return (
    <pre ref={box} class="stream-text sunken" tabIndex={0} onScroll={look}>
      {text}
    </pre>
  );
}

function ChunkValue({ json }: { readonly json: string }): JSX.Element {
  const node = readRawJson(json);
  return node === undefined ? <code>{json}</code> : <JsonTree node={node} />;
}
