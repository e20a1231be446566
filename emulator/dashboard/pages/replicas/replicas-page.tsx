/** The replicas that share the store, the partitions of each, and partitions without an owner. */
import type { JSX } from "preact";
import { Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Answer, Page } from "../../components/states.tsx";
import { Badge } from "../../components/status.tsx";
import { plural } from "../../format/format.ts";
import type { Replicas } from "../../../../runtime/protocol/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";

/** Interval between reads, ms: no event says that a replica came or went. */
const READ_MS = 5_000;

export function useReplicas(): Reading<Replicas> {
  return useRead<"listReplicas">("emulator/replicas", { everyMs: READ_MS });
}

export function ReplicasPage(): JSX.Element {
  return (
    <Page title="Replicas">
      <Answer of={useReplicas()} what="the replicas">
        {(value) => <Listed {...value} />}
      </Answer>
    </Page>
  );
}

type Replica = Replicas["replicas"][number];

function Listed({ replicas, unowned, answeredBy }: Replicas): JSX.Element {
  const all = replicas.reduce(
    (sum, { partitions = [] }) => sum + partitions.length,
    unowned.length,
  );
  return (
    <Panel title={`${plural(replicas.length, "replica")} on one database`}>
      {unowned.length > 0 && (
        <Badge
          icon="failed"
          tone="bad"
          word={`${unowned.length} of ${all} partitions have no owner`}
        />
      )}
      <Records columns={columnsOf(answeredBy)} rows={replicas} keyOf={({ id }) => id} />
    </Panel>
  );
}

function columnsOf(answeredBy: string): readonly Column<Replica>[] {
  const count = (head: string, of: (replica: Replica) => number | undefined) => ({
    ...{ head, kind: "number", label: head.toLowerCase() },
    cell: (replica: Replica) => of(replica)?.toLocaleString("en") ?? "–",
  });
  return [
    {
      head: "Replica",
      kind: "mono whole",
      cell: ({ id, address }) => <span title={id}>{address ?? id}</span>,
    },
    {
      head: "",
      kind: "whole",
      cell: ({ id, workers }) => (
        <>
          {workers === undefined && <Badge icon="warning" tone="warn" word="does not answer" />}
          {id === answeredBy && <span class="quiet">answers here</span>}
        </>
      ),
    },
    count("Partitions", ({ partitions = [] }) => partitions.length),
    count("Endpoints", ({ endpoints }) => endpoints),
    count("Workers", ({ workers }) => workers),
    count("Running", ({ running }) => running),
    { head: "Version", kind: "roomy", cell: ({ version }) => version },
    { head: "Started", kind: "roomy", cell: ({ startedAt }) => <Moment at={startedAt} /> },
  ];
}
