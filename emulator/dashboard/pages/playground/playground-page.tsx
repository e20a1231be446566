/** Runs a job with a typed input, and shows its result. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Answer, Empty, Loading, Page } from "../../components/states.tsx";
import type { PageProps } from "../../route/route.ts";
import { goTo } from "../../route/address.ts";
import { useRead } from "../../service/use-read.ts";
import { attempt, useReadOnly } from "../../state/store.ts";
import { writeRawJson } from "../../json/raw-json.ts";
import { usePayloads } from "../job/payloads.tsx";
import { submit } from "../job/run-job.ts";
import { InputForm } from "./input-form.tsx";
import { RunResult } from "./run-result.tsx";

export function PlaygroundPage({ route }: PageProps): JSX.Element {
  const [endpointId, jobId] = route.parts;
  const endpoints = useRead<"listEndpoints">("v1/endpoints", {
    concerns: ({ type }) => type === "endpoint",
  });
  return (
    <Answer of={endpoints} what="endpoints">
      {(value) => {
        const ids = value.filter(({ type }) => type === "QUEUE").map(({ id }) => id);
        const chosen = endpointId ?? ids[0];
        return chosen === undefined ? (
          <Empty>There is no endpoint with a queue yet.</Empty>
        ) : (
          <Page
            title="Playground"
            class="playground"
            head={<EndpointChoice chosen={chosen} ids={ids} />}
          >
            <Trial key={chosen} endpointId={chosen} jobId={jobId} />
          </Page>
        );
      }}
    </Answer>
  );
}

interface EndpointChoiceProps {
  readonly chosen: string;
  readonly ids: readonly string[];
}

function EndpointChoice({ chosen, ids }: EndpointChoiceProps): JSX.Element {
  return (
    <label class="row">
      <span class="quiet">Endpoint</span>
      <select value={chosen} onChange={(event) => goTo("playground", [event.currentTarget.value])}>
        {[...new Set([chosen, ...ids])].map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </label>
  );
}

interface TrialProps {
  readonly endpointId: string;
  readonly jobId: string | undefined;
}

function Trial({ endpointId, jobId }: TrialProps): JSX.Element {
  const isReadOnly = useReadOnly();
  const schema = useInputSchema(endpointId);
  const first = useFirstInput(jobId);
  const run = (inputJson: string) =>
    attempt(async () => {
      goTo("playground", [endpointId, await submit(endpointId, inputJson)]);
      return undefined;
    });
  return (
    <div class="columns even">
      <div class="column">
        {first === undefined || !schema.isRead ? (
          <Loading what="the form" />
        ) : (
          <InputForm
            endpointId={endpointId}
            schema={schema.value}
            firstInput={first}
            isReadOnly={isReadOnly}
            onRun={(json) => void run(json)}
          />
        )}
      </div>
      <div class="column">
        {jobId === undefined ? (
          <Empty>The result appears here.</Empty>
        ) : (
          <RunResult key={jobId} jobId={jobId} />
        )}
      </div>
    </div>
  );
}

/** The input schema of the handler, which its first worker reports. */
function useInputSchema(endpointId: string): { readonly value: unknown; readonly isRead: boolean } {
  const { value, problem } = useRead<"observeEndpoints">("emulator/endpoints", {
    concerns: ({ type, endpointId: of }) =>
      (type === "endpoint" || type === "worker") && of === endpointId,
  });
  const found = value?.endpoints.find(({ id }) => id === endpointId);
  return { value: found?.inputSchema, isRead: value !== undefined || problem !== undefined };
}

/** The input of the job in the address when the page was opened; empty without a job. Undefined while it is read. */
function useFirstInput(jobId: string | undefined): string | undefined {
  const [openedWith] = useState(jobId);
  const { input, isRead, problem } = usePayloads(openedWith);
  const [first, setFirst] = useState<string | undefined>(openedWith === undefined ? "" : undefined);
  useEffect(() => {
    if (first !== undefined || (!isRead && problem === undefined)) return;
    setFirst(input === undefined ? "" : writeRawJson(input, 2));
  }, [isRead, problem]);
  return first;
}
