/** What a list is narrowed to by its address, each with a way to take that away. */
import type { ComponentChildren, JSX } from "preact";
import { goTo } from "../route/address.ts";
import { Button } from "./button.tsx";

interface FilterTagsProps {
  readonly page: string;
  readonly query: Readonly<Record<string, string>>;
  /** By the name in the query; those that are not there are left out. */
  readonly shown: Readonly<Record<string, ComponentChildren>>;
}

export function FilterTags({ page, query, shown }: FilterTagsProps): JSX.Element {
  const names = Object.keys(shown).filter((name) => (query[name] ?? "") !== "");
  return (
    <>
      {names.map((name) => (
        <span key={name} class="filter-tag">
          <span class="quiet">{name}</span> {shown[name]}
          <Button
            kind="bare"
            icon="close"
            label={`Show those of every ${name}`}
            onPress={() => goTo(page, [], { ...query, [name]: "" })}
          />
        </span>
      ))}
    </>
  );
}
