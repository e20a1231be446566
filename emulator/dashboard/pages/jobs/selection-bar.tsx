/** What can be done with the selected jobs, or with all that match. */
import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { plural } from "../../format.ts";
import { call } from "../../service/call.ts";
import type { JobList } from "../../state/job-list.ts";
import { complain, dispatch, say, state, usePart } from "../../state/store.ts";
import { loadJobs } from "./job-loader.ts";

type Change = "cancel" | "retry";

export function SelectionBar({ list }: { readonly list: JobList }): JSX.Element | null {
  const isReadOnly = usePart(({ session }) => session === "read-only");
  const { selected, isAllSelected, rows } = list;
  if (rows.length === 0) return null;
  const isAny = isAllSelected || selected.size > 0;
  return (
    <div class="selection" role="group" aria-label="Selected jobs">
      <span class="quiet">{isAny ? inWords(list) : "none selected"}</span>
      <Button
        isPressed={isAllSelected}
        onPress={() => dispatch({ type: "jobs-all-selected", isOn: !isAllSelected })}
      >
        {allInWords(list)}
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

function inWords({ selected, isAllSelected }: JobList): string {
  return `${isAllSelected ? "all that match" : plural(selected.size, "job")} selected`;
}

function allInWords({ count }: JobList): string {
  return count === undefined
    ? "Select all"
    : `Select all ${count.jobs.toLocaleString("en")}${count.more ? "+" : ""}`;
}

const DONE = { cancel: "cancelled", retry: "put back into the queue" } as const;

/** Jobs in other states than the change is for are left alone. */
export async function changeSelected(change: Change): Promise<void> {
  const { session, jobs } = state.peek();
  const { selected, isAllSelected, filter } = jobs;
  if (session !== "on" || (!isAllSelected && selected.size === 0)) return;
  if (
    isAllSelected &&
    !window.confirm(`${QUESTIONS[change]} ${allInWords(jobs).slice(7)} jobs that match?`)
  )
    return;
  try {
    const done = isAllSelected ? await changeAll(change) : await changeEach(change, [...selected]);
    say(`${plural(done, "job")} ${DONE[change]}`);
    dispatch({ type: "jobs-all-selected", isOn: false });
  } catch (error) {
    complain(error);
  }
  await loadJobs(filter);
}

const QUESTIONS = { cancel: "Cancel", retry: "Retry" } as const;

/** Each call does a bounded part. */
async function changeAll(change: Change): Promise<number> {
  const { filter } = state.peek().jobs;
  const path = `emulator/jobs/${change}` as const;
  let [done, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const answer: Changed = await call<"cancelMatching">(path, {
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
    const path = `v2/${encodeURIComponent(endpoints.get(id) ?? "")}/${change}/${encodeURIComponent(id)}`;
    try {
      await call<"cancel">(path, { method: "POST" });
      done += 1;
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
    }
  }
  if (done === 0 && problem !== undefined) throw problem;
  return done;
}
