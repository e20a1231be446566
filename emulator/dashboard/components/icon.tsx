/** Icons on a grid of 16: paths, which look alike with any fonts. */
import type { JSX } from "preact";

const PATHS = {
  queued: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z",
  running: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3l2.2 1.6",
  done: "m3 8.5 3.2 3.2L13 5",
  failed: "m4 4 8 8m0-8-8 8",
  late: "M4.5 2.5h7m-7 11h7M5 2.5c0 3 6 4 6 8v3m0-11c0 3-6 4-6 8v3",
  cancelled: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM4.2 4.2l7.6 7.6",
  idle: "M3 8h10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm3.3 7.8 3.2 3.2",
  close: "m4 4 8 8m0-8-8 8",
  left: "M10 3.5 5.5 8l4.5 4.5",
  plus: "M8 3v10M3 8h10",
  right: "m6 3.5 4.5 4.5L6 12.5",
  down: "M3.5 6 8 10.5 12.5 6",
  pause: "M5.5 3.5v9m5-9v9",
  play: "M5 3.5v9l7.5-4.5Z",
  copy: "M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6Zm0-3.5v1.5m0 10v1.5M1.5 8H3m10 0h1.5M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z",
  half: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Zm0 0v11",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3.2 8.7L4.5 7",
  warning: "M8 2.5 14.5 13.5h-13ZM8 6.5v3.2m0 1.6v.4",
} as const;

export type IconName = keyof typeof PATHS;

/** Hidden from screen readers: a word stands beside it, or its control has a label. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
