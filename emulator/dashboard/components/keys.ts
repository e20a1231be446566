/** Keys that work on a whole page, unless the user types into a field. */
import { useEffect } from "preact/hooks";

/** Actions by the name of the key in its event, with `Ctrl-` before it. */
export type Keys = Readonly<Record<string, () => void>>;

/** Maximum time between two keys of a pair, ms. */
const PAIR_MS = 1_500;

let [firstKey, firstAt] = ["", 0];

/** A pair such as `g j` is pressed one after the other. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const key = nameOf(event);
      if (event.defaultPrevented || (isTyping(event) && !key.startsWith("Ctrl-"))) return;
      if (!key.startsWith("Ctrl-") && document.querySelector("dialog[open]")) return;
      const pair = event.timeStamp - firstAt < PAIR_MS ? `${firstKey} ${key}` : "";
      const act = keys[pair] ?? keys[key];
      [firstKey, firstAt] = [key, event.timeStamp];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  });
}

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (altKey) return "";
  return ctrlKey || metaKey ? `Ctrl-${key.toLowerCase()}` : key;
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName) ||
      target.shadowRoot !== null)
  );
}
