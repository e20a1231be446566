/** What an empty inbox says: how a delivery comes into it. */
import type { JSX } from "preact";
import { CopyButton } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { base } from "../../service/call.ts";
import { useRead } from "../../service/use-read.ts";

export function HowTo(): JSX.Element {
  const { value: endpoints = [] } = useRead<"listEndpoints">("v1/endpoints");
  const id = endpoints[0]?.id ?? "ENDPOINT";
  const text = [
    `curl -s ${base()}v2/${id}/run -H "Authorization: Bearer $SV_API_KEY" \\`,
    `  -d '{"input":{},"webhook":"http://127.0.0.1:3000/done"}'`,
  ].join("\n");
  return (
    <Panel title="No webhook yet" actions={<CopyButton text={() => text} what="the command" />}>
      <p>
        A job that is submitted with <code>webhook</code>, a URL, is told of there when it ends.
      </p>
      <pre class="sample">{text}</pre>
    </Panel>
  );
}
