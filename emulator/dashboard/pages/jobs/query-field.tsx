/** The field for the query of the list, with the words it knows and the problems of its text. */
import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Choices } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Popover } from "../../components/panel.tsx";
import { QUERY_WORDS, withWord } from "./job-query.ts";

interface QueryFieldProps {
  readonly text: string;
  readonly problems: readonly string[];
  readonly field: RefObject<HTMLInputElement | null>;
  readonly onChange: (text: string) => void;
}

/** Wait after the last key, ms. */
const TYPING_MS = 250;

const STATUSES = [
  ["", "all"],
  ["running", "running"],
  ["queued", "queued"],
  ["failed,timed_out", "failed"],
  ["completed", "completed"],
] as const;

export function QueryField({ text, problems, field, onChange }: QueryFieldProps): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (field.current !== null && field.current !== document.activeElement)
      field.current.value = text;
  }, [text]);
  const type = (typed: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(typed.trim()), TYPING_MS);
  };
  const chosen = /(?:^|\s)status:(\S+)/u.exec(text)?.[1] ?? "";
  const choose = (value: string) => {
    const next = withWord(text, "status", value);
    if (field.current) field.current.value = next;
    onChange(next);
  };
  return (
    <div class="query">
      <label class="query-field">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label="Query"
          aria-describedby="query-problems"
          placeholder="status:failed endpoint:x took:>5s"
          autocomplete="off"
          spellcheck={false}
          defaultValue={text}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </label>
      <QueryHelp />
      <Choices
        label="Status"
        choices={STATUSES}
        chosen={STATUSES.find(([status]) => status === chosen)?.[0]}
        onChoose={choose}
      />
      <p id="query-problems" class="query-problems" role="status">
        {problems.join("; ")}
      </p>
    </div>
  );
}

function QueryHelp(): JSX.Element {
  return (
    <Popover word="Words">
      <dl class="keys">
        {Object.entries(QUERY_WORDS).map(([word, meaning]) => (
          <div key={word}>
            <dt>
              <code>{word}:</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        <div>
          <dt>text</dt>
          <dd>the beginning or end of an id, or part of an error</dd>
        </div>
      </dl>
    </Popover>
  );
}
