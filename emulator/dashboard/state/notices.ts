/** Short messages about what was done, or could not be: shown for a while, and read out. */

export interface Notice {
  readonly id: number;
  readonly kind: "done" | "problem";
  readonly text: string;
}

export type NoticeAction =
  | { readonly type: "noticed"; readonly kind: Notice["kind"]; readonly text: string }
  | { readonly type: "dismissed"; readonly id: number };

/** Older ones make room. */
const MOST = 4;

export function reduceNotices(notices: readonly Notice[], action: NoticeAction): readonly Notice[] {
  if (action.type === "dismissed") return notices.filter(({ id }) => id !== action.id);
  const { kind, text } = action;
  const id = (notices.at(-1)?.id ?? 0) + 1;
  return [...notices, { id, kind, text }].slice(-MOST);
}
