/** The lanes in numbers: how long each worker was in which stage, and what it did. */
import type { JSX } from "preact";
import { formatDuration, formatInstant } from "../../../format.ts";
import { WorkerLink } from "../../../components/links.tsx";
import type { OperatedWorker } from "../../../service/generated/answers.ts";
import { isFailure, misfortuneOf } from "./worker-stages.ts";

const COLUMNS = [
  ["Worker", ""],
  ["Version", "number"],
  ["State", ""],
  ["Started", ""],
  ["Pull", "number"],
  ["Boot", "number"],
  ["Setup", "number"],
  ["Jobs", "number"],
  ["Failed", "number"],
  ["Ended", ""],
] as const;

export function WorkerTable({
  workers,
}: {
  readonly workers: readonly OperatedWorker[];
}): JSX.Element {
  const newestFirst = workers.toSorted(
    (one, other) => Date.parse(other.startedAt) - Date.parse(one.startedAt),
  );
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Workers as a table">
      <table>
        <thead>
          <tr>
            {COLUMNS.map(([title, kind]) => (
              <th key={title} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newestFirst.map((worker) => (
            <WorkerRow key={worker.id} worker={worker} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorkerRow({ worker }: { readonly worker: OperatedWorker }): JSX.Element {
  const { id, version, state, startedAt, pulledAt, bootedAt, readyAt, past, jobs } = worker;
  const jobsText = `${past.length + jobs.length}${past.length >= 200 ? "+" : ""}`;
  return (
    <tr>
      <td>
        <WorkerLink id={id} />
      </td>
      <td class="number">{version}</td>
      <td>{state}</td>
      <td>{formatInstant(startedAt)}</td>
      <td class="number">{between(startedAt, pulledAt)}</td>
      <td class="number">{between(pulledAt, bootedAt)}</td>
      <td class="number">{between(bootedAt, readyAt)}</td>
      <td class="number">{jobsText}</td>
      <td class="number">{past.filter(({ outcome }) => isFailure(outcome)).length}</td>
      <td>{endOf(worker)}</td>
    </tr>
  );
}

function endOf(worker: OperatedWorker): string {
  if (worker.endedAt === undefined) return "";
  return `${formatInstant(worker.endedAt)}, ${misfortuneOf(worker) ?? "left"}`;
}

function between(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return "–";
  return formatDuration(Date.parse(to) - Date.parse(from));
}
