/** The decisions of the scaler, the newest first, each with its reason. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/status.tsx";
import { formatInstant } from "../../format.ts";
import { Panel } from "../../components/panel.tsx";
import { Empty } from "../../components/states.tsx";
import type { ScalerDecisions } from "../../service/generated/answers.ts";
import { decisionLabel, directionOf } from "./lanes/lane-labels.ts";

type Decisions = ScalerDecisions["decisions"];

/** Number of decisions shown at first. */
const FEW = 6;

const DIRECTIONS = {
  up: { icon: "plus", tone: "good" },
  down: { icon: "idle", tone: "calm" },
  held: { icon: "pause", tone: "warn" },
} as const;

export function DecisionsPanel({ decisions }: { readonly decisions: Decisions }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? decisions : decisions.slice(0, FEW);
  return (
    <Panel title="Decisions of the scaler">
      {decisions.length === 0 && <Empty>No decision yet.</Empty>}
      {decisions.length > 0 && (
        <ul class="decisions stack">
          {shown.map((decision, index) => (
            <li key={`${decision.at} ${index}`}>
              <time class="quiet number" dateTime={decision.at}>
                {formatInstant(decision.at)}
              </time>
              <Badge {...DIRECTIONS[directionOf([decision])]} word={decisionLabel(decision)} />
              <span>{decision.reason}</span>
            </li>
          ))}
        </ul>
      )}
      {decisions.length > FEW && (
        <button type="button" class="inline-button" onClick={() => setAll(!isAll)}>
          {isAll ? "show fewer" : `show all ${decisions.length}`}
        </button>
      )}
    </Panel>
  );
}
