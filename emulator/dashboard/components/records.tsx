/** A table of records. On a narrow page each record is a few lines. */
import type { ComponentChildren, JSX } from "preact";

export interface Column<Row> {
  readonly head: string;
  /** Classes of its cells, for example `number`; `roomy`: left out on a narrow page. */
  readonly kind?: string;
  /** The label beside the value on a narrow page, where the head is not shown. */
  readonly label?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isCurrent?: (row: Row) => boolean;
}

interface RecordsProps<Row> extends RowsProps<Row> {
  readonly class?: string;
  /** More bodies of the table. */
  readonly children?: ComponentChildren;
}

export function Records<Row>(props: RecordsProps<Row>): JSX.Element {
  const { columns, class: more = "", children, ...rows } = props;
  return (
    <div class="table-scroll">
      <table class={`records ${more}`}>
        <thead>
          <tr>
            {columns.map(({ head, kind = "" }) =>
              head === "" ? (
                <td key={head} />
              ) : (
                <th key={head} scope="col" class={kind}>
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <RecordRows columns={columns} {...rows} />
        {children}
      </table>
    </div>
  );
}

export function RecordRows<Row>(props: RowsProps<Row>): JSX.Element {
  const { columns, rows, keyOf, isCurrent } = props;
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)} {...(isCurrent?.(row) === true && { "aria-current": "true" })}>
          {columns.map(({ head, kind = "", label, cell }) => (
            <td key={head} class={kind} data-head={label}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
