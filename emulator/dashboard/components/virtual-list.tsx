/** A long list: only its visible rows are in the document. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly renderRow: (index: number) => ComponentChildren;
  /** The identity of a row, with which its elements move; default: its place. */
  readonly keyOf?: (index: number) => string | undefined;
  /** The row that is scrolled to when it changes; -1 for none. */
  readonly cursor: number;
  /** Called near the end. */
  readonly onEnd?: () => void;
  readonly onTop?: (isAtTop: boolean) => void;
}

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** Distance from the end at which more rows are asked for. */
const ROWS_AHEAD = 20;

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, rowHeight, label, renderRow, keyOf, cursor, onEnd, onTop } = props;
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer(box, count, rowHeight);
  const rows = list.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (count > 0 && last >= count - ROWS_AHEAD) onEnd?.();
  }, [last, count]);
  useEffect(() => {
    if (cursor >= 0) list.scrollToIndex(cursor);
  }, [cursor]);
  return (
    <div
      ref={box}
      class="virtual-list"
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={() => onTop?.((box.current?.scrollTop ?? 0) < rowHeight)}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
        {rows.map(({ key, index, start }) => (
          <div
            key={keyOf?.(index) ?? key}
            class="virtual-row"
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${start}px)` }}
          >
            {renderRow(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

function useVirtualizer(
  box: { readonly current: HTMLDivElement | null },
  count: number,
  rowHeight: number,
): List {
  const [, draw] = useReducer<number, void>((drawn) => drawn + 1, 0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => box.current,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(),
  };
  const [list] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  return list;
}
