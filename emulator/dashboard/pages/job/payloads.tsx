/** Input and output of a job as trees. They are read as text, which keeps numbers as they were written. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button, CopyButton } from "../../components/button.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { Panel } from "../../components/panel.tsx";
import { Empty, Loading } from "../../components/states.tsx";
import { memberOf, type RawNode, readRawJson, writeRawJson } from "../../json/raw-json.ts";
import { useRead } from "../../service/use-read.ts";

/** Maximum size of a payload that is read without a click, bytes. */
const MOST_BYTES = 3_000_000;

export interface Payloads {
  readonly input: RawNode | undefined;
  readonly output: RawNode | undefined;
  readonly isRead: boolean;
  readonly problem: string | undefined;
  /** Reads payloads of any size. */
  readonly readWhole: () => void;
}

/** @param jobId undefined: nothing is read */
export function usePayloads(jobId: string | undefined): Payloads {
  const [isWhole, setWhole] = useState(false);
  const { value, problem } = useRead<"readJob">(
    jobId && `emulator/jobs/${encodeURIComponent(jobId)}${isWhole ? "?whole" : ""}`,
    {
      asText: true,
      ...(!isWhole && { mostBytes: MOST_BYTES }),
      concerns: (event) => event.type === "job" && event.jobId === jobId,
    },
  );
  const text = value as string | undefined;
  const node = useMemo(() => (text === undefined ? undefined : readRawJson(text)), [text]);
  return {
    input: memberOf(node, "input"),
    output: memberOf(node, "output"),
    isRead: text !== undefined,
    problem,
    readWhole: () => setWhole(true),
  };
}

interface PayloadPanelProps {
  readonly title: string;
  readonly node: RawNode | undefined;
  readonly payloads: Payloads;
  /** Text in place of an absent payload. */
  readonly none: string;
}

export function PayloadPanel({ title, node, payloads, none }: PayloadPanelProps): JSX.Element {
  const { isRead, problem, readWhole } = payloads;
  const what = `the ${title.toLowerCase()}`;
  return (
    <Panel
      title={title}
      actions={node && <CopyButton text={() => writeRawJson(node, 2)} what={what} />}
    >
      {node !== undefined && <JsonTree node={node} />}
      {node === undefined && isRead && <Empty>{none}</Empty>}
      {!isRead && problem === undefined && <Loading what={what} />}
      {!isRead && problem !== undefined && (
        <p class="row">
          <span class="quiet">Not shown: {problem}.</span>
          <Button onPress={readWhole}>Show it</Button>
        </p>
      )}
    </Panel>
  );
}
