/** The palette: leads to pages, endpoints and jobs by typing, and has a few actions. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { PAGES } from "./pages.ts";
import { goTo } from "../route/address.ts";
import { leave } from "../service/session.ts";
import { useRead } from "../service/use-read.ts";
import { chooseTheme, THEMES } from "./theme.ts";

export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = choices(text, useAllChoices());
  const chosen = Math.min(at, found.length - 1);
  const act = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    choice.act();
  };
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + found.length) % found.length);
    else if (event.key === "Enter") act(found[chosen]);
    else return;
    event.preventDefault();
  };
  const type = (typed: string) => {
    setText(typed);
    setAt(0);
  };
  return (
    <Dialog title="Go to" onClose={onClose} isPlain>
      <input
        class="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        aria-label="Page, endpoint, or id of a job"
        placeholder="Page, endpoint, or id of a job"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={steer}
      />
      <ChoiceList found={found} chosen={chosen} onChoose={act} />
    </Dialog>
  );
}

interface ChoiceListProps {
  readonly found: readonly Choice[];
  readonly chosen: number;
  readonly onChoose: (choice: Choice) => void;
}

function ChoiceList({ found, chosen, onChoose }: ChoiceListProps): JSX.Element {
  return (
    <ul class="palette-list" id="palette-list" role="listbox" aria-label="Choices">
      {found.map((choice, index) => (
        <li
          key={`${choice.kind} ${choice.title}`}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === chosen}
          onClick={() => onChoose(choice)}
        >
          <span>{choice.title}</span>
          <span class="quiet">{choice.kind}</span>
        </li>
      ))}
    </ul>
  );
}

function useAllChoices(): readonly Choice[] {
  const { value: endpoints = [] } = useRead<"listEndpoints">("v1/endpoints");
  return [
    ...PAGES.filter(({ key }) => key !== undefined).map(({ name, title }): Choice => ({
      title,
      kind: "page",
      act: () => goTo(name),
    })),
    ...endpoints.flatMap(endpointChoices),
    ...THEMES.map((name): Choice => ({
      title: `Theme: ${name}`,
      kind: "do",
      act: () => chooseTheme(name),
    })),
    { title: "Sign out", kind: "do", act: () => void leave() },
  ];
}

function endpointChoices({ id }: { readonly id: string }): readonly Choice[] {
  return [
    { title: `${id}: endpoint`, kind: "endpoint", act: () => goTo("endpoint", [id]) },
    {
      title: `${id}: jobs`,
      kind: "endpoint",
      act: () => goTo("jobs", [], { q: `endpoint:${id}` }),
    },
    { title: `${id}: playground`, kind: "endpoint", act: () => goTo("playground", [id]) },
  ];
}

interface Choice {
  readonly title: string;
  readonly kind: "page" | "endpoint" | "job" | "do";
  readonly act: () => void;
}

const MOST = 12;

/** Choices that contain every word. The last one leads to the job with that id, or to the jobs that contain the text. */
function choices(text: string, all: readonly Choice[]): readonly Choice[] {
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
