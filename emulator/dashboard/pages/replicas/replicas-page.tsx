/** The emulators that share the store: what each of them has, and what nobody has. */
import type { JSX } from "preact";
import { plural } from "../../format.ts";
import { Moment } from "../../components/moment.tsx";
import { Panel } from "../../components/panel.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Badge } from "../../components/status.tsx";
import type { Replicas } from "../../service/generated/answers.ts";
import { useReplicas } from "./use-replicas.ts";

export function ReplicasPage(): JSX.Element {
  const { value, problem, again } = useReplicas();
  return (
    <div class="page">
      <div class="page-head">
        <h1>Replicas</h1>
      </div>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      {value === undefined && problem === undefined && <Loading what="the replicas" />}
      {value && <Listed {...value} />}
    </div>
  );
}

function Listed({ replicas, unowned, answeredBy }: Replicas): JSX.Element {
  const all = replicas.reduce((sum, { parts = [] }) => sum + parts.length, unowned.length);
  return (
    <Panel title={`${plural(replicas.length, "replica")} on one database`}>
      {unowned.length > 0 && (
        <Badge icon="failed" tone="bad" word={`${unowned.length} of ${all} parts have no owner`} />
      )}
      <div class="table-scroll">
        <table class="records">
          <thead>
            <tr>
              <th>Replica</th>
              <td />
              <th class="number">Parts</th>
              <th class="number">Endpoints</th>
              <th class="number">Workers</th>
              <th class="number">Running</th>
              <th class="roomy">Version</th>
              <th class="roomy">Started</th>
            </tr>
          </thead>
          <tbody>
            {replicas.map((replica) => (
              <Row key={replica.id} replica={replica} isAsked={replica.id === answeredBy} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

interface RowProps {
  readonly replica: Replicas["replicas"][number];
  readonly isAsked: boolean;
}

function Row({ replica, isAsked }: RowProps): JSX.Element {
  const { id, address, parts = [], endpoints, workers, running, version, startedAt } = replica;
  return (
    <tr>
      <td class="mono whole" title={id}>
        {address ?? id}
      </td>
      <td class="whole">
        {workers === undefined && <Badge icon="warning" tone="warn" word="does not answer" />}
        {isAsked && <span class="quiet">answers here</span>}
      </td>
      <Count head="parts" of={parts.length} />
      <Count head="endpoints" of={endpoints} />
      <Count head="workers" of={workers} />
      <Count head="running" of={running} />
      <td class="roomy">{version}</td>
      <td class="roomy">
        <Moment at={startedAt} />
      </td>
    </tr>
  );
}

function Count({ head, of }: { readonly head: string; readonly of: number | undefined }) {
  return (
    <td class="number" data-head={head}>
      {of === undefined ? "–" : of.toLocaleString("en")}
    </td>
  );
}
