/** Actions on a job: cancel, retry, run again, edit and run, copy. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, CopyButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Popover } from "../../components/panel.tsx";
import { readRawJson, writeRawJson } from "../../json/raw-json.ts";
import { base } from "../../service/call.ts";
import type { JobDetails } from "../../../../runtime/protocol/generated/answers.ts";
import { useReadOnly } from "../../state/store.ts";
import { type Form, FORMS } from "./copy-as.ts";
import type { Payloads } from "./payloads.tsx";
import { changeJob, runAgain } from "./run-job.ts";

interface JobActionsProps {
  readonly job: JobDetails;
  readonly payloads: Payloads;
}

export function JobActions({ job, payloads }: JobActionsProps): JSX.Element {
  const isReadOnly = useReadOnly();
  const [isEditing, setEditing] = useState(false);
  const { status, endpointId, deletedAt } = job;
  // An input that was read before the deletion may still be in memory.
  const input = deletedAt === undefined ? payloads.input : undefined;
  const isOpen = status === "IN_QUEUE" || status === "IN_PROGRESS";
  const mayRetry = deletedAt === undefined && (status === "FAILED" || status === "TIMED_OUT");
  return (
    <div class="actions" role="group" aria-label="The job">
      {!isReadOnly && isOpen && (
        <Button kind="danger" icon="close" onPress={() => void changeJob("cancel", job)}>
          Cancel
        </Button>
      )}
      {!isReadOnly && mayRetry && (
        <Button kind="main" icon="retry" onPress={() => void changeJob("retry", job)}>
          Retry
        </Button>
      )}
      {!isReadOnly && input !== undefined && (
        <>
          <Button icon="play" onPress={() => void runAgain(endpointId, writeRawJson(input))}>
            Run again
          </Button>
          <Button onPress={() => setEditing(true)}>Edit and run</Button>
        </>
      )}
      {input !== undefined && <CopyAs job={job} payloads={payloads} />}
      {isEditing && input !== undefined && (
        <EditAndRun
          endpointId={endpointId}
          text={writeRawJson(input, 2)}
          onClose={() => setEditing(false)}
        />
      )}
    </div>
  );
}

function CopyAs({ job, payloads }: JobActionsProps): JSX.Element {
  const { input, output } = payloads;
  const copied = (form: Form): string =>
    input === undefined
      ? ""
      : FORMS[form]({
          endpointId: job.endpointId,
          input,
          output: job.status === "COMPLETED" ? output : undefined,
          base: base(),
        });
  return (
    <Popover word="Copy as …">
      {(Object.keys(FORMS) as Form[]).map((form) => (
        <CopyButton key={form} text={() => copied(form)} what={`the job as ${form}`}>
          {form}
        </CopyButton>
      ))}
      <CopyButton text={() => job.id} what="the id">
        id
      </CopyButton>
    </Popover>
  );
}

interface EditAndRunProps {
  readonly endpointId: string;
  readonly text: string;
  readonly onClose: () => void;
}

function EditAndRun({ endpointId, text, onClose }: EditAndRunProps): JSX.Element {
  const [edited, setEdited] = useState(text);
  const isJson = readRawJson(edited) !== undefined;
  const run = () => {
    if (!isJson) return;
    onClose();
    void runAgain(endpointId, edited);
  };
  return (
    <Dialog title={`New job of ${endpointId}`} onClose={onClose} isWide>
      <JsonEditor label="Input" text={text} onChange={setEdited} onSubmit={run} />
      <div class="row">
        <Button kind="main" icon="play" isDisabled={!isJson} onPress={run}>
          Run
        </Button>
        <span class="problem-text" role="status">
          {isJson ? "" : "This is not JSON yet."}
        </span>
      </div>
    </Dialog>
  );
}
