/** The webhook deliveries: sent ones with their answers, and pending ones. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, Choices } from "../../components/button.tsx";
import { FilterTags } from "../../components/filter-tags.tsx";
import { EndpointLink, JobLink } from "../../components/links.tsx";
import { Page } from "../../components/states.tsx";
import { goTo } from "../../route/address.ts";
import type { PageProps } from "../../route/route.ts";
import { useReadOnly } from "../../state/store.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { SigningSecret } from "./signing-secret.tsx";

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
