/** A part of a page with a heading and actions beside it. */
import type { ComponentChildren, JSX } from "preact";

interface PanelProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function Panel({ title, actions, children, class: more = "" }: PanelProps): JSX.Element {
  return (
    <section class={`panel ${more}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface FactsProps {
  readonly facts: readonly (readonly [string, ComponentChildren])[];
}

/** Names with their values; names without a value are left out. */
export function Facts({ facts }: FactsProps): JSX.Element {
  const known = facts.filter(([, value]) => value !== undefined && value !== "");
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
