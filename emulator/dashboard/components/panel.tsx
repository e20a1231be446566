/** Parts of a page: panels, facts, and boxes that open below a word. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

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

interface PopoverProps {
  readonly word: string;
  readonly children: ComponentChildren;
}

export function Popover({ word, children }: PopoverProps): JSX.Element {
  const box = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const ended = new AbortController();
    const close = ({ target }: Event) => {
      if (!(target instanceof Node && box.current?.contains(target))) setOpen(false);
    };
    const escape = ({ key }: KeyboardEvent) => key === "Escape" && setOpen(false);
    document.addEventListener("pointerdown", close, { signal: ended.signal });
    document.addEventListener("keydown", escape, { signal: ended.signal });
    return () => ended.abort();
  }, [isOpen]);
  return (
    <details
      ref={box}
      class="popover"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary class="button">{word}</summary>
      <div class="popover-box">{children}</div>
    </details>
  );
}
