/** A long list of rows of one height: only its visible rows are in the document. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  /** In px. */
  readonly rowHeight: number;
  readonly label: string;
  readonly renderRow: (index: number) => ComponentChildren;
  /** The identity of a row, with which its elements move. */
  readonly keyOf: (index: number) => string | undefined;
  /** The row that is scrolled to when it changes; -1 for none. */
  readonly cursor: number;
  /** Called near the end. */
  readonly onEnd: () => void;
  readonly onTop: (isAtTop: boolean) => void;
}

/** Distance from the end at which more rows are asked for. */
const ROWS_AHEAD = 20;
/** Rows drawn above and below the visible ones. */
const OVERSCAN = 8;

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, rowHeight, label, renderRow, keyOf, cursor, onEnd, onTop } = props;
  const box = useRef<HTMLDivElement>(null);
  const { first, end, setTop } = useVisibleRows(box, count, rowHeight);
  useEffect(() => {
    if (count > 0 && end >= count - ROWS_AHEAD) onEnd();
  }, [end, count]);
  useEffect(() => {
    if (cursor >= 0) show(box.current, cursor, rowHeight);
  }, [cursor]);
  const scrolled = ({ currentTarget: { scrollTop } }: { readonly currentTarget: Element }) => {
    setTop(scrollTop);
    onTop(scrollTop < rowHeight);
  };
  return (
    <div
      ref={box}
      class="virtual-list"
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={scrolled}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, place) => first + place).map(
          (index) => (
            <div
              key={keyOf(index)}
              class="virtual-row"
              role="listitem"
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ height: `${rowHeight}px`, top: `${index * rowHeight}px` }}
            >
              {renderRow(index)}
            </div>
          ),
        )}
      </div>
    </div>
  );
}

function useVisibleRows(
  box: { readonly current: HTMLDivElement | null },
  count: number,
  rowHeight: number,
) {
  const [top, setTop] = useState(0);
  const [visible, setVisible] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() =>
      setVisible(Math.ceil(element.clientHeight / rowHeight)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);
  return {
    first: Math.max(0, top - OVERSCAN),
    end: Math.min(count, top + visible + OVERSCAN),
    setTop: (px: number) => setTop(Math.floor(px / rowHeight)),
  };
}

function show(box: Element | null, index: number, rowHeight: number): void {
  if (box === null) return;
  const top = index * rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + rowHeight > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight - box.clientHeight;
}
