/** JSON as a tree to unfold. Numbers stay as they were written, pictures are shown, secrets hidden. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { linkIn, pictureIn } from "../json/pictures.ts";
import type { RawNode } from "../json/raw-json.ts";
import { looksSecret } from "../json/secrets.ts";
import { plural, formatSize } from "../format/format.ts";

/** Maximum members shown at first, and with each further step. */
const STEP = 100;
/** Maximum characters of a text before it is cut. */
const MOST_CHARACTERS = 600;
/** Maximum members of a branch that is open at first. */
const OPEN_MEMBERS = 40;
/** Maximum depth of a branch that is open at first. */
const OPEN_DEPTH = 3;

interface TreeProps {
  readonly node: RawNode;
  /** Its key in an object. */
  readonly name?: string;
  readonly depth?: number;
  /** Text before the value: the key, or the place in a list. */
  readonly label?: string;
}

export function JsonTree({ node }: { readonly node: RawNode }): JSX.Element {
  return (
    <div class="json">
      <Node node={node} />
    </div>
  );
}

function Node({ node, name = "", depth = 0, label }: TreeProps): JSX.Element {
  if (node.kind === "object" || node.kind === "array") {
    return <Branch node={node} depth={depth} label={label} />;
  }
  return (
    <>
      {label !== undefined && <span class="key">{label}: </span>}
      {node.kind === "string" ? (
        <Text value={node.value} name={name} />
      ) : (
        <span class="scalar">{node.text}</span>
      )}
    </>
  );
}

interface BranchProps {
  readonly node: Extract<RawNode, { kind: "object" | "array" }>;
  readonly depth: number;
  readonly label: string | undefined;
}

function Branch({ node, depth, label }: BranchProps): JSX.Element {
  const count = node.kind === "object" ? node.entries.length : node.items.length;
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && count <= OPEN_MEMBERS);
  const [open = "", close = ""] = node.kind === "object" ? "{}" : "[]";
  const key = label !== undefined && <span class="key">{label}: </span>;
  if (count === 0) {
    return (
      <>
        {key}
        {open + close}
      </>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {key}
        {open}
        <span class="quiet"> {plural(count, node.kind === "object" ? "key" : "item")} </span>
        {close}
      </summary>
      {isOpen && <Members node={node} depth={depth + 1} count={count} />}
    </details>
  );
}

interface MembersProps extends Pick<BranchProps, "node" | "depth"> {
  readonly count: number;
}

function Members({ node, depth, count }: MembersProps): JSX.Element {
  const [shown, setShown] = useState(STEP);
  const left = count - shown;
  const members =
    node.kind === "object"
      ? node.entries.slice(0, shown)
      : node.items.slice(0, shown).map((item, index) => [String(index), item] as const);
  return (
    <ul>
      {members.map(([key, value], index) => (
        <li key={index}>
          <Node node={value} name={node.kind === "object" ? key : ""} depth={depth} label={key} />
        </li>
      ))}
      {left > 0 && (
        <li>
          <More onPress={() => setShown(shown + STEP)}>
            show {Math.min(STEP, left)} more of {left}
          </More>
        </li>
      )}
    </ul>
  );
}

interface MoreProps {
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

function More({ onPress, children }: MoreProps): JSX.Element {
  return (
    <button type="button" class="inline-button" onClick={onPress}>
      {children}
    </button>
  );
}

interface TextProps {
  readonly value: string;
  readonly name: string;
}

function Text({ value, name }: TextProps): JSX.Element {
  const [isShown, setShown] = useState(!looksSecret(name, value));
  const [isWhole, setWhole] = useState(value.length <= MOST_CHARACTERS);
  const [isText, setText] = useState(false);
  if (!isShown) {
    return (
      <span>
        <span class="quiet">•••••••• (looks like a secret)</span>
        <More onPress={() => setShown(true)}>show</More>
      </span>
    );
  }
  const picture = isText ? undefined : pictureIn(value, location.origin);
  if (picture !== undefined) {
    return <Shown picture={picture} value={value} onText={() => setText(true)} />;
  }
  const text = isWhole ? value : value.slice(0, MOST_CHARACTERS);
  return (
    <span>
      <span class="string">{linked(value, text)}</span>
      {!isWhole && <More onPress={() => setWhole(true)}>… {formatSize(value.length)} in all</More>}
    </span>
  );
}

interface ShownProps extends Pick<TextProps, "value"> {
  readonly picture: { readonly source: string; readonly mediaType: string };
  readonly onText: () => void;
}

function Shown({ picture: { source, mediaType }, value, onText }: ShownProps): JSX.Element {
  const [isBroken, setBroken] = useState(false);
  return (
    <span>
      <span class="quiet">
        {isBroken ? "no picture" : mediaType}, {formatSize(value.length)}
      </span>
      <More onPress={onText}>as text</More>
      {!isBroken && (
        <img
          src={source}
          alt={`The picture of the output, ${mediaType}`}
          onError={() => setBroken(true)}
        />
      )}
    </span>
  );
}

/** A JSON string, or a link for an address. */
function linked(value: string, text: string): ComponentChildren {
  const url = linkIn(value);
  if (url === undefined) return JSON.stringify(text);
  return (
    <a href={url.href} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  );
}
