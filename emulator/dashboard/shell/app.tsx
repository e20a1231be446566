/** The frame of every page: navigation, state of the connection, palette, help, notices. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { type Keys, useKeys } from "../components/keys.ts";
import { Empty, Loading } from "../components/states.tsx";
import { Badge } from "../components/status.tsx";
import { PAGES } from "./pages.ts";
import { goTo, route } from "../route/address.ts";
import { hrefTo } from "../route/route.ts";
import type { Notice } from "../state/state.ts";
import { dispatch, usePart } from "../state/store.ts";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Palette } from "./palette.tsx";
import { SignIn } from "./sign-in.tsx";
import { chooseTheme, nextTheme, theme } from "./theme.ts";

type Window = "palette" | "help" | undefined;

export function App(): JSX.Element {
  const session = usePart((state) => state.session);
  const [window, setWindow] = useState<Window>(undefined);
  useKeys({
    "Ctrl-k": () => setWindow("palette"),
    "/": () => setWindow("palette"),
    "?": () => setWindow("help"),
    ...goKeys(),
  });
  if (session === "unknown") return <Loading what="the dashboard" />;
  if (session === "closed") return <SignIn />;
  const close = () => setWindow(undefined);
  return (
    <div class="app">
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <TopBar isReadOnly={session === "read-only"} onOpen={setWindow} />
      <Navigation />
      <main id="content" class="content" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Notices />
      {window === "palette" && <Palette onClose={close} />}
      {window === "help" && <KeyboardHelp onClose={close} />}
    </div>
  );
}

function goKeys(): Keys {
  const listed = PAGES.filter(({ key }) => key !== undefined);
  return Object.fromEntries(listed.map(({ key = "", name }) => [`g ${key}`, () => goTo(name)]));
}

/** A link to a place in the page would change the route. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#content")?.focus();
}

interface TopBarProps {
  readonly isReadOnly: boolean;
  readonly onOpen: (window: Window) => void;
}

function TopBar({ isReadOnly, onOpen }: TopBarProps): JSX.Element {
  const icon = { system: "half", light: "sun", dark: "moon" } as const;
  return (
    <header class="top-bar">
      <a class="brand" href={hrefTo(PAGES[0]?.name ?? "")}>
        sv-runtime
      </a>
      <LinkState />
      {isReadOnly && <span class="tag">read-only</span>}
      <span class="spring" />
      <button type="button" class="button search" onClick={() => onOpen("palette")}>
        <Icon name="search" />
        <span class="wide-only">
          Go to … <kbd>Ctrl K</kbd>
        </span>
      </button>
      <Button
        kind="bare"
        icon={icon[theme.value]}
        label={`Theme: ${theme.value}`}
        onPress={() => chooseTheme(nextTheme())}
      />
      <Button kind="bare" label="Keyboard help" onPress={() => onOpen("help")}>
        ?
      </Button>
    </header>
  );
}

function LinkState(): JSX.Element {
  const { phase } = usePart((state) => state.link);
  return (
    <span class="link-state" role="status">
      {phase === "live" && <Badge icon="done" word="live" tone="good" />}
      {phase === "connecting" && <Badge icon="running" word="connecting" tone="quiet" />}
      {phase === "waiting" && <Badge icon="warning" word="reconnecting …" tone="warn" />}
    </span>
  );
}

function Navigation(): JSX.Element {
  const { page: current } = route.value;
  const page = PAGES.find(({ name }) => name === current);
  const shown = page?.within ?? current;
  const link = useRef<HTMLAnchorElement>(null);
  // The list scrolls on a narrow page.
  useEffect(() => link.current?.scrollIntoView({ block: "nearest", inline: "center" }), [shown]);
  return (
    <nav class="navigation" aria-label="Pages">
      <ul>
        {PAGES.filter(({ key }) => key !== undefined).map(({ name, title }) => (
          <li key={name}>
            <a href={hrefTo(name)} {...(shown === name && { "aria-current": "page", ref: link })}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function CurrentPage(): JSX.Element {
  const { page: name } = route.value;
  const page = PAGES.find((each) => each.name === name);
  useEffect(() => {
    document.title = `${page?.title ?? "Nothing here"} · sv-runtime`;
  }, [name]);
  if (page === undefined) {
    return (
      <Empty>
        There is no page “{name}”. <a href={hrefTo(PAGES[0]?.name ?? "")}>To the overview</a>
      </Empty>
    );
  }
  return <page.Component key={name} route={route.value} />;
}

/** Time for which a notice is shown, ms. Problems stay until they are closed. */
const SHOWN_MS = 4_000;

function Notices(): JSX.Element {
  const notices = usePart((state) => state.notices);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeLine({ notice: { id, kind, text } }: { readonly notice: Notice }): JSX.Element {
  const dismiss = () => dispatch({ type: "dismissed", id });
  useEffect(() => {
    if (kind === "problem") return undefined;
    const timer = setTimeout(dismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`notice ${kind}`}>
      <Icon name={kind === "done" ? "done" : "warning"} />
      <span>{text}</span>
      <Button kind="bare" icon="close" label="Close" onPress={dismiss} />
    </div>
  );
}
