/** The filters of a list in its address, each with a button that removes it. */
import type { ComponentChildren, JSX } from "preact";
import { goTo } from "../route/address.ts";
import { Button } from "./button.tsx";

interface FilterTagsProps {
  readonly page: string;
  readonly query: Readonly<Record<string, string>>;
  /** By the name in the query; absent ones are left out. */
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
            label={`Remove the filter: ${name}`}
            onPress={() => goTo(page, [], { ...query, [name]: "" })}
          />
        </span>
      ))}
    </>
  );
}
