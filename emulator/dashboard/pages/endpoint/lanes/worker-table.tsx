/** The lanes in numbers: how long each worker was in which stage, and what it did. */
import type { JSX } from "preact";
import { durationInWords, instantInWords } from "../../../components/in-words.ts";
import { WorkerLink } from "../../../components/links.tsx";
import type { OperatedWorker } from "../../../service/generated/answers.ts";
import { isFailure } from "./worker-stages.ts";

export function WorkerTable({
  workers,
}: {
  readonly workers: readonly OperatedWorker[];
}): JSX.Element {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Workers as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col" class="number">
              Version
            </th>
            <th scope="col">State</th>
            <th scope="col">Started</th>
            <th scope="col" class="number">
              Pull
            </th>
            <th scope="col" class="number">
              Boot
            </th>
            <th scope="col" class="number">
              Setup
            </th>
            <th scope="col" class="number">
              Jobs
            </th>
            <th scope="col" class="number">
              Failed
            </th>
            <th scope="col">Ended</th>
          </tr>
        </thead>
        <tbody>
          {workers.toReversed().map((worker) => (
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
      <td class="number-left">{instantInWords(startedAt)}</td>
      <td class="number">{between(startedAt, pulledAt)}</td>
      <td class="number">{between(pulledAt, bootedAt)}</td>
      <td class="number">{between(bootedAt, readyAt)}</td>
      <td class="number">{jobsText}</td>
      <td class="number">{past.filter(({ outcome }) => isFailure(outcome)).length}</td>
      <td>{endOf(worker)}</td>
    </tr>
  );
}

function endOf({ endedAt, end, exit }: OperatedWorker): string {
  if (endedAt === undefined) return "";
  const how =
    exit !== undefined && end !== "left" ? exit.message : (end ?? "").replaceAll("_", " ");
  return `${instantInWords(endedAt)}${how === "" ? "" : `, ${how}`}`;
}

function between(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return "–";
  return durationInWords(Date.parse(to) - Date.parse(from));
}
