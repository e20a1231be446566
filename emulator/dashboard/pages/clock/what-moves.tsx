/** What goes by service time, and what does not. */
import type { JSX } from "preact";
import { Panel } from "../../components/panel.tsx";

const MOVES = [
  "time to live of jobs, also of one that runs: it is deleted and its handler stopped",
  "how long finished jobs are kept",
  "idleTimeout, and the seconds of the scaler's scalerValue",
  "the wait between two starts of a worker that fails",
  "delayTime of a job that waits",
  "the tries of webhooks, the windows of rate limits",
  "wait of /runsync and /status-sync, and how long /stream is held",
] as const;

const STAYS = [
  "running handlers, executionTimeout and executionTime",
  "leases of workers, and how long they may be silent",
  "limits of HTTP connections",
  "signatures of the object store",
] as const;

export function WhatMoves(): JSX.Element {
  return (
    <Panel title="What goes by it">
      <div class="what-moves">
        <List title="Moves with service time" items={MOVES} />
        <List title="Keeps real time" items={STAYS} />
      </div>
    </Panel>
  );
}

interface ListProps {
  readonly title: string;
  readonly items: readonly string[];
}

function List({ title, items }: ListProps): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      <ul class="sentences">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </section>
  );
}
