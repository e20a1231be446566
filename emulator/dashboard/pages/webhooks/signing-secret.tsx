/** The secret that signs calls, shown on request, and code with which a receiver checks a signature. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, Choices, CopyButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { call } from "../../service/call.ts";
import { attempt } from "../../state/store.ts";
import { type Language, SNIPPETS } from "./snippets.ts";

const LANGUAGES = (Object.keys(SNIPPETS) as readonly Language[]).map(
  (language) => [language, language] as const,
);

export function SigningSecret({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [language, setLanguage] = useState<Language>("Node");
  return (
    <Dialog title="Signing secret" onClose={onClose}>
      <p>
        The service signs calls by <em>Standard Webhooks</em>. Give the receiver the secret as{" "}
        <code>SV_WEBHOOK_SECRET</code>:
      </p>
      <Secret />
      <div class="row">
        <Choices label="Language" choices={LANGUAGES} chosen={language} onChoose={setLanguage} />
        <span class="spring" />
        <CopyButton text={() => SNIPPETS[language]} what="the code" />
      </div>
      <pre class="sunken" tabIndex={0}>
        {SNIPPETS[language]}
      </pre>
    </Dialog>
  );
}

/** Asks for the secret when it is shown, and keeps it no longer. */
function Secret(): JSX.Element {
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const show = async () => {
    setSecret((await call<"readWebhookSecret">("emulator/webhooks/secret")).secret);
    return undefined;
  };
  return (
    <div class="row secret sunken">
      <code>{secret ?? "whsec_••••••••••••••••••••"}</code>
      <span class="spring" />
      {secret === undefined ? (
        <Button icon="eye" onPress={() => void attempt(show)}>
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
