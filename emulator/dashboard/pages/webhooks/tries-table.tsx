/** The calls of one delivery, and what each was answered. */
import type { JSX } from "preact";
import { formatDuration } from "../../format.ts";
import { Moment } from "../../components/moment.tsx";
import type { DeliveryTry } from "../../service/generated/answers.ts";
import { outcomeOf } from "./delivery-labels.ts";

export function TriesTable({ tries }: { readonly tries: readonly DeliveryTry[] }): JSX.Element {
  if (tries.length === 0) return <p class="quiet">None yet.</p>;
  return (
    <table class="records tries">
      <thead>
        <tr>
          <th>At</th>
          <th class="number">Took</th>
          <th>Answer</th>
        </tr>
      </thead>
      <tbody>
        {tries.map((made) => (
          <tr key={made.at}>
            <td>
              <Moment at={made.at} />
            </td>
            <td class="number">{formatDuration(made.durationMs)}</td>
            <td class="answer">
              {outcomeOf(made)}
              {made.warning !== undefined && <span class="quiet"> {made.warning}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
