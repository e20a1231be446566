/** Runs a job with an input that is typed in, and shows what comes of it. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import type { PageProps } from "../../route/route.ts";
import { goTo } from "../../route/address.ts";
import { useRead } from "../../service/use-read.ts";
import { complain, usePart } from "../../state/store.ts";
import { writeRawJson } from "../../json/raw-json.ts";
import { usePayloads } from "../job/payloads.tsx";
import { submit } from "../job/run-job.ts";
import { InputForm } from "./input-form.tsx";
import { RunResult } from "./run-result.tsx";

export function PlaygroundPage({ route }: PageProps): JSX.Element {
  const [endpointId, jobId] = route.parts;
  const { value, problem, again } = useRead<"listEndpoints">("v1/endpoints", {
    concerns: ({ type }) => type === "endpoint",
  });
  if (value === undefined) {
    return problem === undefined ? (
      <Loading what="endpoints" />
    ) : (
      <Problem text={problem} onRetry={again} />
    );
  }
  const ids = value.filter(({ type }) => type === "QUEUE").map(({ id }) => id);
  const chosen = endpointId ?? ids[0];
  if (chosen === undefined) return <Empty>There is no endpoint with a queue yet.</Empty>;
  return (
    <div class="page playground">
      <div class="page-head">
        <h1>Playground</h1>
        <label class="row">
          <span class="quiet">Endpoint</span>
          <select
            value={chosen}
            onChange={(event) => goTo("playground", [event.currentTarget.value])}
          >
            {[...new Set([chosen, ...ids])].map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
      </div>
      <Trial key={chosen} endpointId={chosen} jobId={jobId} />
    </div>
  );
}

interface TrialProps {
  readonly endpointId: string;
  readonly jobId: string | undefined;
}

function Trial({ endpointId, jobId }: TrialProps): JSX.Element {
  const isReadOnly = usePart(({ session }) => session === "read-only");
  const schema = useInputSchema(endpointId);
  const first = useFirstInput(jobId);
  const run = async (inputJson: string) => {
    try {
      goTo("playground", [endpointId, await submit(endpointId, inputJson)]);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <div class="columns">
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
          <Empty>What comes of it is shown here.</Empty>
        ) : (
          <RunResult key={jobId} jobId={jobId} />
        )}
      </div>
    </div>
  );
}

/** What a handler says that it takes: its first worker tells it. */
function useInputSchema(endpointId: string): { readonly value: unknown; readonly isRead: boolean } {
  const { value, problem } = useRead<"observeEndpoints">("emulator/endpoints", {
    concerns: ({ type, endpointId: of }) =>
      (type === "endpoint" || type === "worker") && of === endpointId,
  });
  const found = value?.endpoints.find(({ id }) => id === endpointId);
  return { value: found?.inputSchema, isRead: value !== undefined || problem !== undefined };
}

/** That of the job in the address when the page is opened; of none an empty text. Undefined while it is read. */
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
