/** What stands where there is no endpoint yet: how to make the first one. */
import type { JSX } from "preact";
import { CopyButton } from "../../components/button.tsx";

const HANDLER = `// greet/handler.js
export default async function greet(job) {
  return { greeting: \`Hello, \${job.input.name}!\` };
}
`;

const COMMAND = "npx sv-runtime greet";

export function FirstSteps(): JSX.Element {
  return (
    <section class="panel first-steps" aria-label="First steps">
      <h2>No endpoint is served yet</h2>
      <ol>
        <li>
          <p>Write a handler:</p>
          <Copyable text={HANDLER} what="the handler" />
        </li>
        <li>
          <p>
            Stop this service, and start it with the folder. It becomes the endpoint{" "}
            <code>greet</code>, and shows here:
          </p>
          <Copyable text={COMMAND} what="the command" />
        </li>
      </ol>
      <p class="quiet">
        While the service runs, endpoints can be made by its management interface too:{" "}
        <a href="docs" target="_blank" rel="noreferrer noopener">
          the interface, to read and to try
        </a>
        .
      </p>
    </section>
  );
}

function Copyable({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  return (
    <div class="copyable">
      <pre tabIndex={0}>{text.trimEnd()}</pre>
      <CopyButton text={() => text} what={what} />
    </div>
  );
}
