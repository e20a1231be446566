/** The address of the page, which components follow and change. */
import { computed, signal } from "@preact/signals";
import { hrefTo, readRoute } from "./route.ts";

const hash = signal(location.hash);

window.addEventListener("hashchange", () => (hash.value = location.hash));

export const route = computed(() => readRoute(hash.value));

export function goTo(...target: Parameters<typeof hrefTo>): void {
  location.hash = hrefTo(...target);
}

/** Changes the address without a step in the history, for example while typing. */
export function replaceRoute(...target: Parameters<typeof hrefTo>): void {
  history.replaceState(null, "", hrefTo(...target));
  hash.value = location.hash;
}
