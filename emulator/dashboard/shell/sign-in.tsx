/** The form for a link or a key. The key is sent once, for a cookie that scripts cannot read, and stored nowhere. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { enter, resume } from "../service/session.ts";

export function SignIn(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    field.current?.focus();
    // The user may have opened a link in another tab.
    const again = () => void resume();
    window.addEventListener("focus", again);
    return () => window.removeEventListener("focus", again);
  }, []);
  const send = async () => {
    const text = field.current?.value.trim() ?? "";
    if (field.current) field.current.value = "";
    const ticket = /[?&]ticket=([^&#\s]+)/u.exec(text)?.[1];
    setProblem(await enter(ticket === undefined ? { key: text } : { ticket }));
  };
  return (
    <main class="sign-in">
      <h1>sv-runtime</h1>
      <p>
        Open the link that <code>sv-emulate</code> prints at its start, or{" "}
        <code>sv-emulate open</code>. Or paste it here, or the admin key:
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label for="key">Link or key</label>
        <div class="row">
          <input
            id="key"
            ref={field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
          />
          <Button kind="main" onPress={() => void send()}>
            Open
          </Button>
        </div>
        <p class="problem-text" role="alert">
          {problem}
        </p>
      </form>
    </main>
  );
}
