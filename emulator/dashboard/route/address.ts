/** The address of the page as something that components follow and that can be changed. */
import { computed, signal } from "@preact/signals";
import { hrefTo, readRoute } from "./route.ts";

const hash = signal(location.hash);

window.addEventListener("hashchange", () => (hash.value = location.hash));

export const route = computed(() => readRoute(hash.value));

export function goTo(...target: Parameters<typeof hrefTo>): void {
  location.hash = hrefTo(...target);
}

/** Without a step in the history: for what one types. */
export function replaceRoute(...target: Parameters<typeof hrefTo>): void {
  history.replaceState(null, "", hrefTo(...target));
  hash.value = location.hash;
}
