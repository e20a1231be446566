/** The theme: that of the system, unless the user chose one. */
import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;

type Theme = (typeof THEMES)[number];

const KEPT_AS = "sv-theme";

export const theme = signal<Theme>(kept());

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset["theme"];
  else dataset["theme"] = theme.value;
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  applyTheme();
  try {
    localStorage.setItem(KEPT_AS, chosen);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

export function nextTheme(): Theme {
  return THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
}

function kept(): Theme {
  try {
    const value = localStorage.getItem(KEPT_AS);
    return THEMES.find((known) => known === value) ?? "system";
  } catch {
    return "system";
  }
}
