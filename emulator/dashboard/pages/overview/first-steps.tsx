/** How to make the first endpoint: shown while there is none. */
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
            Stop this service, and start it with the folder, which becomes the endpoint{" "}
            <code>greet</code>:
          </p>
          <Copyable text={COMMAND} what="the command" />
        </li>
      </ol>
      <p class="quiet">
        The management interface makes endpoints while the service runs:{" "}
        <a href="docs" target="_blank" rel="noreferrer noopener">
          API reference
        </a>
        .
      </p>
    </section>
  );
}

function Copyable({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  return (
    <div class="copyable">
      <pre class="sunken" tabIndex={0}>
        {text.trimEnd()}
      </pre>
      <CopyButton text={() => text} what={what} />
    </div>
  );
}
