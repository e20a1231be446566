/** What the palette offers for what was typed. */
import { goTo } from "../route/address.ts";

export interface Choice {
  readonly title: string;
  readonly kind: "page" | "endpoint" | "job" | "do";
  readonly act: () => void;
}

const MOST = 12;

/** Every word must occur. A text that may be an id leads to that job, any other one to the jobs it is found in. */
export function choices(text: string, all: readonly Choice[]): readonly Choice[] {
  const words = text.toLowerCase().split(/\s+/u);
  const found = all.filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  );
  const wanted = text.trim();
  if (wanted === "") return found.slice(0, MOST);
  const job: Choice = isWholeId(wanted)
    ? { title: `job ${wanted}`, kind: "job", act: () => goTo("job", [wanted]) }
    : { title: `jobs with “${wanted}”`, kind: "job", act: () => goTo("jobs", [], { q: wanted }) };
  return [...found.slice(0, MOST - 1), job];
}

function isWholeId(text: string): boolean {
  return /^(?:sync-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/iu.test(text);
}
