/** A box that opens below a word, and closes by Escape or by a press elsewhere. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

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
