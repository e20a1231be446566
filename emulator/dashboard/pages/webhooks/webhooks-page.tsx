/** The inbox of webhook deliveries: what was sent, what came of it, what is still to be sent. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { EndpointLink, JobLink } from "../../components/links.tsx";
import { FilterTags } from "../../components/filter-tags.tsx";
import { goTo } from "../../route/address.ts";
import type { PageProps } from "../../route/route.ts";
import { usePart } from "../../state/store.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { STATES } from "./delivery-labels.ts";
import { SigningSecret } from "./signing-secret.tsx";

const CHOICES = ["", ...STATES] as const;

export function WebhooksPage({ route: { parts, query } }: PageProps): JSX.Element {
  const [isSecretOpen, setSecretOpen] = useState(false);
  const isReadOnly = usePart(({ session }) => session) === "read-only";
  const [id] = parts;
  const { state = "", endpoint = "", job = "" } = query;
  return (
    <div class="page">
      <div class="page-head">
        <h1>Webhooks</h1>
        <div class="row" role="group" aria-label="State">
          {CHOICES.map((choice) => (
            <Button
              key={choice}
              isPressed={state === choice}
              onPress={() => goTo("webhooks", parts, { ...query, state: choice })}
            >
              {choice === "" ? "all" : choice}
            </Button>
          ))}
        </div>
        <FilterTags
          page="webhooks"
          query={query}
          shown={{
            endpoint: <EndpointLink id={endpoint} />,
            job: <JobLink id={job} />,
          }}
        />
        <span class="spring" />
        {!isReadOnly && <Button onPress={() => setSecretOpen(true)}>Signing secret</Button>}
      </div>
      <div class={id === undefined ? "inbox" : "inbox split"}>
        <DeliveryList key={`${state} ${endpoint} ${job}`} query={query} openId={id} />
        {id !== undefined && <DeliveryPanel key={id} id={id} query={query} />}
      </div>
      {isSecretOpen && <SigningSecret onClose={() => setSecretOpen(false)} />}
    </div>
  );
}
