/** The entry point of the dashboard. */
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import "./styles/records.css";
import "./styles/drawings.css";
import "./styles/texts.css";
import "./styles/shell.css";
import "./styles/pages.css";
import "./styles/overview.css";
import "./styles/jobs.css";
import "./styles/lanes.css";
import { render } from "preact";
import { openSession } from "./service/session.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
const place = document.querySelector("#app");
if (place !== null) render(<App />, place);
await openSession();
