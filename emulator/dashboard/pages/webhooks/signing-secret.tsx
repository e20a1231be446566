/** The secret that calls are signed with, shown when it is asked for, and how a receiver checks a signature. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, CopyButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { call } from "../../service/call.ts";
import { complain } from "../../state/store.ts";
import { type Language, SNIPPETS } from "./snippets.ts";

const LANGUAGES = Object.keys(SNIPPETS) as readonly Language[];

export function SigningSecret({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [language, setLanguage] = useState<Language>("Node");
  return (
    <Dialog title="Signing secret" onClose={onClose}>
      <p>
        Calls are signed as <em>Standard Webhooks</em> has it. A receiver has the secret in{" "}
        <code>SV_WEBHOOK_SECRET</code>:
      </p>
      <Secret />
      <div class="row" role="group" aria-label="Language">
        {LANGUAGES.map((each) => (
          <Button key={each} isPressed={each === language} onPress={() => setLanguage(each)}>
            {each}
          </Button>
        ))}
        <span class="spring" />
        <CopyButton text={() => SNIPPETS[language]} what="the code" />
      </div>
      <pre class="sample" tabIndex={0}>
        {SNIPPETS[language]}
      </pre>
    </Dialog>
  );
}

/** It is asked for when it is to be shown, and kept no longer than that. */
function Secret(): JSX.Element {
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const show = async () => {
    try {
      setSecret((await call<"readWebhookSecret">("emulator/webhooks/secret")).secret);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <div class="row secret">
      <code>{secret ?? "whsec_••••••••••••••••••••"}</code>
      <span class="spring" />
      {secret === undefined ? (
        <Button icon="eye" onPress={() => void show()}>
          Show
        </Button>
      ) : (
        <>
          <CopyButton text={() => secret} what="the secret" />
          <Button onPress={() => setSecret(undefined)}>Hide</Button>
        </>
      )}
    </div>
  );
}
