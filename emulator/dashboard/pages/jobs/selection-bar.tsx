/** Actions on the selected jobs, or on all that match. */
import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { plural } from "../../format/format.ts";
import { call } from "../../service/call.ts";
import type { JobList } from "../../state/job-list.ts";
import { attempt, dispatch, state, useReadOnly } from "../../state/store.ts";
import { sendChange } from "../job/run-job.ts";
import { loadJobs } from "./job-loader.ts";

type Change = "cancel" | "retry";

export function SelectionBar({ list }: { readonly list: JobList }): JSX.Element | null {
  const isReadOnly = useReadOnly();
  const { selected, isAllSelected, rows } = list;
  if (rows.length === 0) return null;
  const isAny = isAllSelected || selected.size > 0;
  return (
    <div class="row" role="group" aria-label="Selected jobs">
      <span class="quiet">{isAny ? selectedLabel(list) : "none selected"}</span>
      <Button
        isPressed={isAllSelected}
        onPress={() => dispatch({ type: "jobs-all-selected", isOn: !isAllSelected })}
      >
        {selectAllLabel(list)}
      </Button>
      {isAny && !isReadOnly && (
        <>
          <Button kind="danger" icon="close" onPress={() => void changeSelected("cancel")}>
            Cancel
          </Button>
          <Button icon="retry" onPress={() => void changeSelected("retry")}>
            Retry
          </Button>
        </>
      )}
    </div>
  );
}

function selectedLabel({ selected, isAllSelected }: JobList): string {
  return `${isAllSelected ? "all that match" : plural(selected.size, "job")} selected`;
}

function selectAllLabel({ count }: JobList): string {
  return count === undefined
    ? "Select all"
    : `Select all ${count.jobs.toLocaleString("en")}${count.more ? "+" : ""}`;
}

const QUESTIONS = { cancel: "Cancel", retry: "Retry" } as const;

const DONE = { cancel: "cancelled", retry: "put back into the queue" } as const;

/** The service skips jobs that do not allow the change. */
export async function changeSelected(change: Change): Promise<void> {
  const { session, jobs } = state.peek();
  const { selected, isAllSelected, filter } = jobs;
  if (session !== "on" || (!isAllSelected && selected.size === 0)) return;
  const question = `${QUESTIONS[change]} ${selectAllLabel(jobs).slice(7)} jobs that match?`;
  if (isAllSelected && !window.confirm(question)) return;
  await attempt(async () => {
    const done = isAllSelected ? await changeAll(change) : await changeEach(change, [...selected]);
    dispatch({ type: "jobs-all-selected", isOn: false });
    return `${plural(done, "job")} ${DONE[change]}`;
  });
  await loadJobs(filter);
}

/** Each call changes a bounded number of jobs. */
async function changeAll(change: Change): Promise<number> {
  const { filter } = state.peek().jobs;
  let [done, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const answer: Changed = await call<"cancelMatching">(`emulator/jobs/${change}`, {
      method: "POST",
      body: { filter, ...(cursor !== undefined && { cursor }) },
    });
    done += answer.done;
    cursor = answer.more ? answer.next : undefined;
  } while (cursor !== undefined);
  return done;
}

interface Changed {
  readonly done: number;
  readonly more: boolean;
  readonly next?: string;
}

async function changeEach(change: Change, ids: readonly string[]): Promise<number> {
  const endpoints = new Map(state.peek().jobs.rows.map(({ id, endpointId }) => [id, endpointId]));
  let [done, problem]: [number, Error | undefined] = [0, undefined];
  for (const id of ids) {
    try {
      await sendChange(change, { id, endpointId: endpoints.get(id) ?? "" });
      done += 1;
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
    }
  }
  if (done === 0 && problem !== undefined) throw problem;
  return done;
}
