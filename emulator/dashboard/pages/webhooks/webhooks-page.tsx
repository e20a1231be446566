/** The webhook deliveries: sent ones with their answers, and pending ones. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, Choices, CopyButton } from "../../components/button.tsx";
import { FilterTags } from "../../components/filter-tags.tsx";
import { EndpointLink, JobLink } from "../../components/links.tsx";
import { Page } from "../../components/states.tsx";
import { goTo } from "../../route/address.ts";
import type { PageProps } from "../../route/route.ts";
import { attempt, useReadOnly } from "../../state/store.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { call } from "../../service/call.ts";
import { type Language, SNIPPETS } from "./snippets.ts";

const STATES = [
  ["", "all"],
  ["pending", "pending"],
  ["delivered", "delivered"],
  ["failed", "failed"],
] as const;

export function WebhooksPage({ route: { parts, query } }: PageProps): JSX.Element {
  const [isSecretOpen, setSecretOpen] = useState(false);
  const isReadOnly = useReadOnly();
  const [id] = parts;
  const { state = "", endpoint = "", job = "" } = query;
  const shown = { endpoint: <EndpointLink id={endpoint} />, job: <JobLink id={job} /> };
  const head = (
    <>
      <Choices
        label="State"
        choices={STATES}
        chosen={STATES.find(([choice]) => choice === state)?.[0]}
        onChoose={(choice) => goTo("webhooks", parts, { ...query, state: choice })}
      />
      <FilterTags page="webhooks" query={query} shown={shown} />
      <span class="spring" />
      {!isReadOnly && <Button onPress={() => setSecretOpen(true)}>Signing secret</Button>}
    </>
  );
  return (
    <Page title="Webhooks" head={head}>
      <div class={id === undefined ? "inbox" : "inbox split"}>
        <DeliveryList key={`${state} ${endpoint} ${job}`} query={query} openId={id} />
        {id !== undefined && <DeliveryPanel key={id} id={id} query={query} />}
      </div>
      {isSecretOpen && <SigningSecret onClose={() => setSecretOpen(false)} />}
    </Page>
  );
}

const LANGUAGES = (Object.keys(SNIPPETS) as readonly Language[]).map(
  (language) => [language, language] as const,
);

function SigningSecret({ onClose }: { readonly onClose: () => void }): JSX.Element {
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
